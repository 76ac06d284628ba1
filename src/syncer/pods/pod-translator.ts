import { recordsAt, textAt } from '../../shared/json-fields.ts'
import { onHostClass } from '../classes/class-kinds.ts'
import { labelledNamespaces } from '../translate/label-selector.ts'
import type { SyncContext } from '../context/sync-context.ts'
import { cordonedNodes, onCordon } from '../nodes/virtual-node.ts'
import type { LinkedService, PodContext } from '../translate/pod-draft/pod-context.ts'
import { toHostPod } from '../translate/pods/to-host-pod.ts'
import type { KubeObject } from '../../shared/kube/kube-object.ts'

export type PodTranslation = Pick<
  SyncContext,
  'hostClasses' | 'namespaces' | 'networkpolicies' | 'nodes' | 'scope' | 'services' | 'surroundings'
>

/** How many translations are stored at most: a pod that starts or ends changes several times in a few seconds. */
const STORED = 500

/** A translation of pods with a cache, since each change of a host pod's status triggers a sync of the same virtual pod. */
export function podTranslator(
  context: PodTranslation & Parameters<typeof onHostClass>[0],
): SyncContext['translatePod'] {
  const cache = new Map<KubeObject, ReturnType<SyncContext['translatePod']>>()
  const clear = () => cache.clear()
  context.namespaces.onChange(clear)
  context.services.virtual.onChange(clear)
  context.networkpolicies.virtual.onChange(clear)
  onCordon(context.nodes, clear)
  onHostClass(context, clear)
  return (virtual) => {
    const known = cache.get(virtual)
    if (known !== undefined) {
      return known
    }
    if (cache.size >= STORED) {
      clear()
    }
    const translated = toHostPod(virtual, podContext(context, virtual))
    cache.set(virtual, translated)
    return translated
  }
}

/** The current context of a pod's translation. */
export function podContext(
  {
    hostClasses,
    namespaces,
    networkpolicies,
    nodes,
    scope,
    services,
    surroundings,
  }: PodTranslation,
  { metadata }: KubeObject,
): PodContext {
  const isBeside = (other: KubeObject) => other.metadata.namespace === metadata.namespace
  return {
    ...surroundings,
    ...hostClasses(),
    services: [...services.virtual.values()].filter(isBeside).map(toLinked),
    networkPolicies:
      scope.policies?.network === undefined
        ? []
        : [...networkpolicies.virtual.values()].filter(isBeside),
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
