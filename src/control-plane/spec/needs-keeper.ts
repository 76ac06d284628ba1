import type { HostSpec } from './fields/host-spec.ts'
import type { UserSpec } from './spec.ts'

/** What of a spec tells whether its plane needs a keeper. */
type Kept = Pick<UserSpec, 'backup' | 'ephemeral' | 'idle' | 'renew'> & {
  host?: Pick<HostSpec, 'etcd' | 'monitor'> | undefined
}

/** Tells whether something has to be done for a plane while no command runs. */
export function needsKeeper(spec: Kept): boolean {
  return (
    spec.backup !== undefined ||
    spec.idle !== undefined ||
    spec.renew === true ||
    spec.host?.monitor !== undefined ||
    hasEphemeralMembers(spec)
  )
}

/**
 * Tells whether each of several members of a plane's etcd has its data in its pod alone: with the pod goes what it knows,
 * and somebody has to give the next one what the others know.
 */
export function hasEphemeralMembers({
  ephemeral,
  host,
}: Pick<Kept, 'ephemeral' | 'host'>): boolean {
  return ephemeral === true && (host?.etcd.replicas ?? 1) > 1
}
