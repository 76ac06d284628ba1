import { type ErrorCode, VplaneError } from '../../shared/errors.ts'
import type { KubeClient } from '../client/client.ts'
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

/** Acquires a Lease as `claimLease` does, without waiting; undefined when another holder has it. */
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
  return lease !== undefined && isAbandoned(lease, claim)
    ? takeLease(api, { lease, claim }, signal)
    : undefined
}

async function createLease(
  api: ClaimApi,
  claim: LeaseClaim,
  signal: AbortSignal,
): Promise<HeldLease | undefined> {
  const sentAt = claim.now()
  return unless(['CONFLICT'], async () => {
    const lease = await api.create(leasesPath(claim), newLease(claim), { signal })
    return new HeldLease(api, lease, { ...claim, sentAt })
  })
}

/** Sends the observed resource version, so that only one of several processes acquires the Lease. */
async function takeLease(
  api: ClaimApi,
  { claim, lease }: { claim: LeaseClaim; lease: KubeObject },
  signal: AbortSignal,
): Promise<HeldLease | undefined> {
  const sentAt = claim.now()
  return unless(['CONFLICT', 'NOT_FOUND'], async () => {
    const taken = await api.replace(leasePath(claim), takenLease(lease, claim), { signal })
    return new HeldLease(api, taken, { ...claim, sentAt })
  })
}

/** The result of `take`; undefined when it fails with one of the codes because another process was faster. */
async function unless(
  codes: readonly ErrorCode[],
  take: () => Promise<HeldLease>,
): Promise<HeldLease | undefined> {
  try {
    return await take()
  } catch (error) {
    if (error instanceof VplaneError && codes.includes(error.code)) {
      return undefined
    }
    throw error
  }
}
