import type { ObjectCache } from '../../kube/cache/object-cache.ts'
import { toObjectKey } from '../../kube/cache/object-key.ts'
import { ownContainers } from '../pods/own-containers.ts'
import type { SyncScope, VirtualKey } from '../scope/sync-scope.ts'
import { virtualOf } from '../translate/host-metadata.ts'
import { hostKeyOf } from '../translate/host-name.ts'
import type { LocatedPod } from './requests/pod-target.ts'

interface Located {
  scope: SyncScope
  pods: Record<'host' | 'virtual', Pick<ObjectCache, 'get'>>
}

/** The host pod of a virtual one, with the containers that its users may enter; none while that of an earlier pod ends. */
export function locatePod({ pods, scope }: Located, pod: VirtualKey): LocatedPod | undefined {
  const host = pods.host.get(hostKeyOf(scope, pod))
  const virtual = pods.virtual.get(toObjectKey(pod))
  const virtualUid = virtual?.metadata.uid
  if (host === undefined || virtual === undefined || virtualOf(scope, host)?.uid !== virtualUid) {
    return undefined
  }
  const { name = '', namespace = '', uid } = host.metadata
  return { name, namespace, uid, virtualUid, containers: ownContainers(virtual, host) }
}
