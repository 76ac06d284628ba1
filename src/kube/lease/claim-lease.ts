import { type ErrorCode, VplaneError } from '../../shared/errors.ts'
import type { KubeClient } from '../client/client.ts'
import type { KubeObject } from '../../shared/kube/kube-object.ts'
import { HeldLease, type LeaseApi } from './held-lease.ts'
import { type LeaseClaim, leasePath, leasesPath, newLease, takenLease } from './lease-object.ts'
import { isAbandoned, waitForFreeLease } from './wait-for-free-lease.ts'

type ClaimApi = LeaseApi & Pick<KubeClient, 'create' | 'watch'>

/**
 * Holds a Lease until it is disposed, as soon as nobody else does. One whose holder died is taken over: at once when that
 * is known, otherwise when nothing was seen of it for as long as it lasts.
 *
 * A Lease does not fence: what its holder has begun may still be done when another one has it.
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

/** Holds a Lease as `claimLease` does, without waiting; undefined when somebody else holds it. */
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

/** With the resource version that was seen: of several who want a Lease, one gets it. */
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

/** What `take` returns; undefined when it fails with one of the codes, which say that somebody else was quicker. */
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
