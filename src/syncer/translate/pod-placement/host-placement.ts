import { type Json, picked, textAt } from '../reading.ts'
import { onNode, toHostAffinity } from './host-affinity.ts'
import type { PodDraft } from '../pod-draft/pod-draft.ts'
import { toHostTopologySpread } from './topology-spread.ts'

/**
 * Where the host may put a pod. A scheduler of the plane has heeded all that the pod asks for, by labels and pods that the
 * host may not know: what is left of it is the node.
 */
export function toHostPlacement(draft: PodDraft): Json {
  const { context, pod } = draft
  if (context.scheduler === 'virtual') {
    const node = textAt(pod.spec, 'nodeName')
    return node === undefined ? {} : { affinity: { nodeAffinity: onNode(node) } }
  }
  const affinity = toHostAffinity(draft)
  const topologySpreadConstraints = toHostTopologySpread(draft)
  return picked({ ...picked(pod.spec, ['nodeSelector']), affinity, topologySpreadConstraints }, [
    'affinity',
    'nodeSelector',
    'topologySpreadConstraints',
  ])
}
