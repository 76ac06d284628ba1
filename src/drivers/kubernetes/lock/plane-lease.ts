import { type ErrorCode, VplaneError } from '../../../shared/errors.ts'
import { waitFor } from '../../../shared/wait.ts'
import { collectionPath, objectPath } from '../collections.ts'
import type { HostApi, HostObject } from '../host-api.ts'
import { lockName, type PlacedName } from '../object-names.ts'
import { HeldLease } from './held-lease.ts'
import { holderIdentity } from './holder-identity.ts'
import { type LeaseHolder, type LeaseTimes, newLease, takenLease } from './lease-object.ts'
import { isAbandoned, leaseUntilFree } from './lease-until-free.ts'

const TIMES: LeaseTimes = { durationMs: 15_000, renewMs: 5000, graceMs: 10_000 }

/** How long one vplane waits for another that works on the same plane. */
const TIMEOUT_MS = 300_000

export interface LeaseOptions extends PlacedName {
  signal: AbortSignal
  now: () => Date
  /** Called once when somebody else holds it and waiting begins. @default nothing */
  onWait?: () => void
  /** How long to wait for the present holder, in milliseconds. @default 300_000 */
  timeoutMs?: number
  /** @default lasts for 15 s, is renewed every 5 s, and its holder stops after 10 s without renewal */
  times?: LeaseTimes
}

/**
 * Holds a plane by its Lease, so that no other vplane changes it meanwhile, until it is disposed. A Lease does not
 * fence: whoever holds one writes the journal before each step, and asks `HeldLease.check` before that.
 *
 * A Lease whose holder died is taken over: at once when that is known, as of a process of this machine, otherwise when
 * nothing was seen of it for 15 s.
 *
 * @throws {VplaneError} `TIMED_OUT` when it is held for longer than `timeoutMs`, `ABORTED` when the signal fires.
 */
export async function acquireLease(api: HostApi, options: LeaseOptions): Promise<HeldLease> {
  const { name, signal, timeoutMs = TIMEOUT_MS } = options
  const held = await tryLease(api, options)
  if (held !== undefined) {
    return held
  }
  options.onWait?.()
  const wanted = claimOf(options)
  return waitFor(
    async (deadline) => {
      const stale = await leaseUntilFree(api, { ...wanted, signal: deadline })
      return stale === undefined ? createLease(api, wanted) : takeLease(api, stale, wanted)
    },
    { what: `another vplane that works on "${name}"`, timeoutMs, intervalMs: 10, signal },
  )
}

/** Holds a plane as `acquireLease` does, without waiting; undefined when somebody else holds it. */
export async function tryLease(
  api: HostApi,
  options: LeaseOptions,
): Promise<HeldLease | undefined> {
  const claim = claimOf(options)
  const { name, namespace, signal } = claim
  const created = await createLease(api, claim)
  if (created !== undefined) {
    return created
  }
  const path = objectPath('leases', { name: lockName(name), namespace })
  const lease = await api.get(path, { signal })
  return lease !== undefined && isAbandoned(lease, claim) ? takeLease(api, lease, claim) : undefined
}

type Claim = PlacedName & LeaseHolder & { signal: AbortSignal }

function claimOf({ name, namespace, now, signal, times = TIMES }: LeaseOptions): Claim {
  return { name, namespace, now, signal, times, holder: holderIdentity() }
}

async function createLease(api: HostApi, claim: Claim): Promise<HeldLease | undefined> {
  const { namespace, now, signal } = claim
  const sentAt = now()
  return unless(['CONFLICT'], async () => {
    const path = collectionPath('leases', namespace)
    const lease = await api.create(path, newLease(claim), { signal })
    return new HeldLease(api, lease, { ...claim, sentAt })
  })
}

/** With the resource version that was seen: of several who want a Lease, one gets it. */
async function takeLease(
  api: HostApi,
  lease: HostObject,
  claim: Claim,
): Promise<HeldLease | undefined> {
  const { name, namespace, now, signal } = claim
  const sentAt = now()
  const path = objectPath('leases', { name: lockName(name), namespace })
  return unless(['CONFLICT', 'NOT_FOUND'], async () => {
    const taken = await api.replace(path, takenLease(lease, claim), { signal })
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
