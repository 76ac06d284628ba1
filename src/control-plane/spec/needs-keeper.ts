import type { HostSpec } from './fields/host-spec.ts'
import type { UserSpec } from './spec.ts'
import type { SharedEtcdSpec } from '../store/store.ts'

type KeeperFields = Pick<UserSpec, 'backup' | 'credentials' | 'ephemeral' | 'idle' | 'renew'> & {
  host?: Pick<HostSpec, 'etcd' | 'monitor'> | undefined
  store?: { etcd?: { shared?: Pick<SharedEtcdSpec, 'root'> } } | undefined
}

/** Whether a plane has duties that must be done while no command runs. */
export function needsKeeper(spec: KeeperFields): boolean {
  return (
    spec.backup !== undefined ||
    spec.idle !== undefined ||
    Object.keys(spec.credentials ?? {}).length > 0 ||
    spec.renew === true ||
    spec.host?.monitor !== undefined ||
    // A shared etcd is compacted.
    spec.store?.etcd?.shared?.root !== undefined ||
    hasEphemeralMembers(spec)
  )
}

/** Whether several etcd members store their data in their pods alone, so that a new pod needs the data of the others. */
export function hasEphemeralMembers(spec: Pick<KeeperFields, 'ephemeral' | 'host'>): boolean {
  return spec.ephemeral === true && (spec.host?.etcd.replicas ?? 1) > 1
}
