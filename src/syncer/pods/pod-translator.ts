import { recordsAt, textAt } from '../../shared/json-fields.ts'
import { onHostClass } from '../classes/class-kinds.ts'
import { labelledNamespaces } from '../translate/label-selector.ts'
import type { SyncContext } from '../context/sync-context.ts'
import { shareParts } from '../../kube/cache/share-parts.ts'
import { cordonedNodes, onCordon } from '../nodes/virtual-node.ts'
import type { LinkedService, PodContext } from '../translate/pod-draft/pod-context.ts'
import { toHostPod } from '../translate/pods/to-host-pod.ts'
import { isRefusal } from '../translate/refusal.ts'
import type { KubeObject } from '../../shared/kube/kube-object.ts'

export type PodTranslation = Pick<
  SyncContext,
  'hostClasses' | 'namespaces' | 'networkpolicies' | 'nodes' | 'scope' | 'services' | 'surroundings'
>

/**
 * A translation of pods with a cache, since each change of a host pod's status triggers a sync of the same virtual pod. The
 * translations share their equal parts, as there is one for each pod.
 */
export function podTranslator(
  context: PodTranslation & Parameters<typeof onHostClass>[0],
): SyncContext['translatePod'] {
  let cache = new WeakMap<KubeObject, ReturnType<SyncContext['translatePod']>>()
  let shared: ReturnType<typeof sharedContext> | undefined
  let last: KubeObject | undefined
  const clear = () => {
    cache = new WeakMap()
    shared = undefined
  }
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
    shared ??= sharedContext(context)
    const translated = toHostPod(virtual, { ...shared, ...ownContext(context, virtual) })
    if (!isRefusal(translated)) {
      last = shareParts(translated.pod, last ?? translated.pod)
      translated.pod = last
    }
    cache.set(virtual, translated)
    return translated
  }
}

/** The current context of a pod's translation. */
export function podContext(context: PodTranslation, pod: KubeObject): PodContext {
  return { ...sharedContext(context), ...ownContext(context, pod) }
}

/** What the contexts of all pods have in common. */
function sharedContext({ hostClasses, namespaces, nodes, surroundings }: PodTranslation) {
  return {
    ...surroundings,
    ...hostClasses(),
    namespaces: labelledNamespaces(namespaces.values()),
    cordonedNodes: cordonedNodes(nodes),
  }
}

function ownContext(
  { networkpolicies, scope, services }: PodTranslation,
  { metadata }: KubeObject,
): Pick<PodContext, 'networkPolicies' | 'services'> {
  const isBeside = (other: KubeObject) => other.metadata.namespace === metadata.namespace
  return {
    services: [...services.virtual.values()].filter(isBeside).map(toLinked),
    networkPolicies:
      scope.policies?.network === undefined
        ? []
        : [...networkpolicies.virtual.values()].filter(isBeside),
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
