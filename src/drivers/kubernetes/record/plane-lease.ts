import type { HeldLease } from '../../../kube/lease/held-lease.ts'
import { claimLease, tryClaim } from '../../../kube/lease/claim-lease.ts'
import {
  holderOf,
  LEASE_TIMES,
  type LeaseClaim,
  type LeaseTimes,
  renewTimeOf,
} from '../../../kube/lease/lease-object.ts'
import { lockName, objectLabels } from '../../../manifests/object-names.ts'
import { objectPath } from '../../../shared/kube/collections.ts'
import { VplaneError } from '../../../shared/errors.ts'
import { waitFor } from '../../../shared/wait.ts'
import type { Ui } from '../../../shared/ui.ts'
import { holderIdentity, isDeadHolder } from '../../../shared/processes/holder-identity.ts'
import type { HostApi } from '../host/host-api.ts'
import { unlessRefused } from '../host/unless-refused.ts'
import type { PlacedName } from '../context/object-names.ts'

/** How long to wait for another vplane, in milliseconds. */
const TIMEOUT_MS = 300_000

export interface LeaseOptions extends PlacedName {
  signal: AbortSignal
  now: () => Date
  /** Shows that another vplane holds the Lease. */
  ui?: Pick<Ui, 'step'>
  /** How long to wait for the current holder, in milliseconds. @default 300_000 */
  timeoutMs?: number
  /** @default expires after 15 s, is renewed every 5 s, and its holder stops after 10 s without renewal */
  times?: LeaseTimes
}

/**
 * Holds a plane by its Lease until it is disposed. A Lease does not fence: before each step the holder calls
 * `HeldLease.check` and writes the journal. A Lease whose holder died is taken over: at once when it was a process of
 * this machine, otherwise after 15 s without renewal.
 *
 * @throws {VplaneError} `TIMED_OUT` when it is held for longer than `timeoutMs`, `ABORTED` when the signal fires.
 */
export async function acquireLease(api: HostApi, options: LeaseOptions): Promise<HeldLease> {
  const { name, namespace, signal, timeoutMs = TIMEOUT_MS, ui } = options
  const claim = claimOf(options)
  const held = await tryClaim(api, claim, signal)
  if (held !== undefined) {
    return held
  }
  const what = `another vplane that works on "${name}"`
  ui?.step(`Waiting for ${what}`)
  const plane = { name, namespace }
  const hints = [{ purpose: 'to show its operation', action: 'describe', plane } as const]
  return waitFor((deadline) => claimLease(api, claim, deadline), { what, timeoutMs, signal, hints })
}

/** Whether the Lease cannot be created because its namespace is being deleted. */
export function isTerminating(error: unknown): boolean {
  return error instanceof VplaneError && error.message.includes('being terminated')
}

/** Does not wait; undefined when another vplane holds it. */
export async function tryLease(
  api: HostApi,
  options: LeaseOptions,
): Promise<HeldLease | undefined> {
  return tryClaim(api, claimOf(options), options.signal)
}

/** Without a renewal for this long a holder counts as gone, in milliseconds: clocks differ by less. */
const GONE_MS = 60_000

/** Whether a vplane holds the Lease, as far as that can be known without waiting; false also without the right to read it. */
export async function isHeld(
  api: Pick<HostApi, 'get'>,
  { name, namespace, now }: PlacedName & { now: Date },
  signal: AbortSignal,
): Promise<boolean> {
  const path = objectPath('leases', { name: lockName(name), namespace })
  const lease = await unlessRefused(api.get(path, { signal }))
  const holder = lease && holderOf(lease)
  const renewTime = lease && renewTimeOf(lease)
  return (
    holder !== undefined &&
    renewTime !== undefined &&
    !isDeadHolder(holder) &&
    now.getTime() - renewTime.getTime() < GONE_MS
  )
}

function claimOf({ name, namespace, now, times = LEASE_TIMES }: LeaseOptions): LeaseClaim {
  return {
    metadata: { name: lockName(name), namespace, labels: objectLabels(name) },
    holder: holderIdentity(),
    isDead: isDeadHolder,
    purpose: {
      what: `working on "${name}"`,
      hints: ['run the command again: it continues from where it was'],
    },
    now,
    times,
  }
}
