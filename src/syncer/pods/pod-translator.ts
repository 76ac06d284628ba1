import { recordsAt, textAt } from '../../shared/json-fields.ts'
import { onHostClass } from '../classes/class-kinds.ts'
import { labelledNamespaces } from '../translate/label-selector.ts'
import type { SyncContext } from '../context/sync-context.ts'
import { cordonedNodes, onCordon } from '../nodes/cordoned-nodes.ts'
import type { LinkedService, PodContext } from '../translate/pod-draft/pod-context.ts'
import { toHostPod } from '../translate/pods/to-host-pod.ts'
import type { KubeObject } from '../../shared/kube/kube-object.ts'

/** What pods are translated with. */
export type PodTranslation = Pick<
  SyncContext,
  'hostClasses' | 'namespaces' | 'nodes' | 'services' | 'surroundings'
>

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

/** What a pod's translation depends on beside the pod, as it is known now. */
export function podContext(
  { hostClasses, namespaces, nodes, services, surroundings }: PodTranslation,
  { metadata }: KubeObject,
): PodContext {
  return {
    ...surroundings,
    ...hostClasses(),
    services: [...services.virtual.values()]
      .filter((service) => service.metadata.namespace === metadata.namespace)
      .map(toLinked),
    namespaces: labelledNamespaces(namespaces.values()),
    cordonedNodes: cordonedNodes(nodes),
  }
}

function toLinked(service: KubeObject): LinkedService {
  return {
    name: service.metadata.name ?? '',
    clusterIp: textAt(service, 'spec', 'clusterIP') ?? '',
    ports: recordsAt(service, 'spec', 'ports').map((port) => ({
      name: textAt(port, 'name'),
      port: Number(port['port']),
      protocol: textAt(port, 'protocol') ?? 'TCP',
    })),
  }
}
