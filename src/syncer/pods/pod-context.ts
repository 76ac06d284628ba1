import { isRecord, type KubeObject } from '../../kube/kube-object.ts'
import { labelledNamespaces } from '../context/labelled-namespaces.ts'
import { cordonedNodes } from '../nodes/cordoned-nodes.ts'
import type { SyncContext } from '../context/sync-context.ts'
import type { LinkedService, PodContext } from '../translate/pod-draft/pod-context.ts'

/** What pods are translated with. */
export type PodTranslation = Pick<
  SyncContext,
  'hostClasses' | 'namespaces' | 'nodes' | 'services' | 'surroundings'
>

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
    namespaces: labelledNamespaces({ namespaces }),
    cordonedNodes: cordonedNodes(nodes),
  }
}

function toLinked({ metadata, spec }: KubeObject): LinkedService {
  const { clusterIP, ports } = isRecord(spec) ? spec : {}
  return {
    name: metadata.name ?? '',
    clusterIp: typeof clusterIP === 'string' ? clusterIP : '',
    ports: (Array.isArray(ports) ? ports : []).filter(isRecord).map(({ name, port, protocol }) => ({
      name: typeof name === 'string' ? name : undefined,
      port: Number(port),
      protocol: typeof protocol === 'string' ? protocol : 'TCP',
    })),
  }
}
