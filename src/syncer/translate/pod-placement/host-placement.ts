import { picked } from '../reading.ts'
import { onNode, toHostAffinity, toHostPodSelector } from './host-affinity.ts'
import { knownFields, type PodDraft } from '../pod-draft/pod-draft.ts'
import { type Json, recordAt, recordsAt, textAt } from '../../../shared/json-fields.ts'

/** The same on the host, of a constraint on the spread. */
const KEPT_FIELDS = [
  'maxSkew',
  'minDomains',
  'nodeAffinityPolicy',
  'nodeTaintsPolicy',
  'topologyKey',
  'whenUnsatisfiable',
]

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

/** How a pod is spread on the host: counting only pods of its plane and namespace. */
function toHostTopologySpread(draft: PodDraft): Json[] {
  return recordsAt(draft.pod.spec, 'topologySpreadConstraints').map((constraint, index) => {
    const at = `spec.topologySpreadConstraints[${index}]`
    const fields = [...KEPT_FIELDS, 'labelSelector', 'matchLabelKeys']
    const known = knownFields(draft, constraint, { at, fields })
    const selector = recordAt(known, 'labelSelector')
    const namespaces = [draft.pod.namespace]
    return {
      ...picked(known, KEPT_FIELDS),
      ...(selector === undefined
        ? {}
        : { labelSelector: toHostPodSelector(draft, { selector, term: known, namespaces }) }),
    }
  })
}
