import type { KubeObject } from '../../kube/kube-object.ts'
import { onCordon } from '../nodes/cordoned-nodes.ts'
import { onHostClass } from '../classes/class-kinds.ts'
import type { SyncContext } from '../context/sync-context.ts'
import { toHostPod } from '../translate/pods/to-host-pod.ts'
import { podContext, type PodTranslation } from './pod-context.ts'

/**
 * Translates pods, each once for as long as it and what its translation depends on are the same: a pod is looked at again
 * with every change of its host pod's status.
 */
export function podTranslator(
  context: PodTranslation & Parameters<typeof onHostClass>[0],
): SyncContext['translatePod'] {
  let known = new WeakMap<KubeObject, ReturnType<SyncContext['translatePod']>>()
  const forget = () => {
    known = new WeakMap()
  }
  context.namespaces.onChange(forget)
  context.services.virtual.onChange(forget)
  onCordon(context.nodes, forget)
  onHostClass(context, forget)
  return (virtual) => {
    const before = known.get(virtual)
    if (before !== undefined) {
      return before
    }
    const translated = toHostPod(virtual, podContext(context, virtual))
    known.set(virtual, translated)
    return translated
  }
}
