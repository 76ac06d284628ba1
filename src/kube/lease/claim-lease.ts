import type { KubeClient } from '../client/client.ts'
import { unlessStatus } from '../kube-error.ts'
import type { KubeObject } from '../../shared/kube/kube-object.ts'
import { HeldLease, type LeaseApi } from './held-lease.ts'
import { type LeaseClaim, leasePath, leasesPath, newLease, takenLease } from './lease-object.ts'
import { isAbandoned, waitForFreeLease } from './wait-for-free-lease.ts'

type ClaimApi = LeaseApi & Pick<KubeClient, 'create' | 'watch'>

/**
 * Waits until a Lease is free, acquires it, and holds it until it is disposed. It takes over the Lease of a dead holder at
 * once if the death is known, else when no change was observed for the duration of the Lease.
 *
 * A Lease does not fence: requests of a former holder may still complete after the next one acquired it.
 */
export async function claimLease(
  api: ClaimApi,
  claim: LeaseClaim,
  signal: AbortSignal,
): Promise<HeldLease> {
  let held = await tryClaim(api, claim, signal)
  while (held === undefined) {
    const stale = await waitForFreeLease(api, claim, signal)
    held =
      stale === undefined
        ? await createLease(api, claim, signal)
        : await takeLease(api, { lease: stale, claim }, signal)
  }
  return held
}

/**
 * Acquires a Lease as `claimLease` does, without waiting; undefined when another holder has it. A process that tries
 * again and again, as a keeper does, so sees when it is not renewed.
 */
export async function tryClaim(
  api: ClaimApi,
  claim: LeaseClaim,
  signal: AbortSignal,
): Promise<HeldLease | undefined> {
  const created = await createLease(api, claim, signal)
  if (created !== undefined) {
    return created
  }
  const lease = await api.get(leasePath(claim), { signal })
  return lease !== undefined && (isAbandoned(lease, claim) || isSilent(api, lease, claim))
    ? takeLease(api, { lease, claim }, signal)
    : undefined
}

interface SeenLease {
  version: string
  /** By the clock of this process, in milliseconds. */
  since: number
}

const seen = new WeakMap<ClaimApi, Map<string, SeenLease>>()

/** Whether a Lease has been as it is for its duration since it was first seen so through this connection. */
function isSilent(api: ClaimApi, { metadata }: KubeObject, claim: LeaseClaim): boolean {
  const version = `${metadata.uid} ${metadata.resourceVersion}`
  const leases = seen.get(api) ?? new Map<string, SeenLease>()
  seen.set(api, leases)
  const path = leasePath(claim)
  const known = leases.get(path)
  if (known?.version !== version) {
    leases.set(path, { version, since: performance.now() })
    return false
  }
  return performance.now() - known.since > claim.times.durationMs
}

async function createLease(
  api: ClaimApi,
  claim: LeaseClaim,
  signal: AbortSignal,
): Promise<HeldLease | undefined> {
  const sentAt = claim.now()
  const lease = await unlessStatus(
    [409],
    api.create(leasesPath(claim), newLease(claim), { signal }),
  )
  return lease && new HeldLease(api, lease, { ...claim, sentAt })
}

/** Sends the observed resource version, so that only one of several processes acquires the Lease. */
async function takeLease(
  api: ClaimApi,
  { claim, lease }: { claim: LeaseClaim; lease: KubeObject },
  signal: AbortSignal,
): Promise<HeldLease | undefined> {
  const sentAt = claim.now()
  const request = api.replace(leasePath(claim), takenLease(lease, claim), { signal })
  const taken = await unlessStatus([404, 409], request)
  return taken && new HeldLease(api, taken, { ...claim, sentAt })
}
