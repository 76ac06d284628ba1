import { toObjectKey } from '../scope/object-key.ts'
import type { LocatedPod } from './requests/pod-target.ts'
import type { SyncContext } from '../context/sync-context.ts'
import type { VirtualKey } from '../scope/sync-scope.ts'
import { hostNameOf } from '../translate/host-name.ts'
import { virtualOf } from '../translate/virtual-of.ts'

/** The host pod of a virtual one; undefined when there is none that is ours. */
export function locatePod(
  { pods, scope }: Pick<SyncContext, 'pods' | 'scope'>,
  pod: VirtualKey,
): LocatedPod | undefined {
  const { namespace } = scope.host
  const name = hostNameOf(scope, pod)
  const host = pods.host.get(toObjectKey({ name, namespace }))
  const identity = host === undefined ? undefined : virtualOf(scope, host)
  return identity === undefined
    ? undefined
    : { name, namespace, uid: host?.metadata.uid, virtualUid: identity.uid }
}
