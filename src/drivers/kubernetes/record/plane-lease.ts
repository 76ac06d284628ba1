import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import type { HeldLease } from '../../../kube/lease/held-lease.ts'
import { claimLease, tryClaim } from '../../../kube/lease/claim-lease.ts'
import { LEASE_TIMES, type LeaseClaim, type LeaseTimes } from '../../../kube/lease/lease-object.ts'
import { lockName, objectLabels } from '../../../manifests/object-names.ts'
import { waitFor } from '../../../shared/wait.ts'
import { isProcessAlive } from '../../../shared/processes/is-process-alive.ts'
import type { HostApi } from '../host/host-api.ts'
import type { PlacedName } from '../context/object-names.ts'

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
  const claim = claimOf(options)
  const held = await tryClaim(api, claim, signal)
  if (held !== undefined) {
    return held
  }
  options.onWait?.()
  const what = `another vplane that works on "${name}"`
  return waitFor((deadline) => claimLease(api, claim, deadline), { what, timeoutMs, signal })
}

/** Holds a plane as `acquireLease` does, without waiting; undefined when somebody else holds it. */
export async function tryLease(
  api: HostApi,
  options: LeaseOptions,
): Promise<HeldLease | undefined> {
  return tryClaim(api, claimOf(options), options.signal)
}

function claimOf({ name, namespace, now, times = LEASE_TIMES }: LeaseOptions): LeaseClaim {
  return {
    metadata: { name: lockName(name), namespace, labels: objectLabels(name) },
    holder: holderIdentity(),
    isDead: isDeadHolder,
    purpose: {
      what: `working on "${name}"`,
      hints: ['run the command again: it goes on from where it was'],
    },
    now,
    times,
  }
}

/** Who holds a Lease: this machine, this process, and one of the operations in it. */
export function holderIdentity(): string {
  return `${hostname()}_${process.pid}_${randomUUID()}`
}

/**
 * Tells whether a holder is known to be dead: a process of this machine that is gone. Of other machines nothing is
 * known. Should two machines have one name, the journal still keeps them apart.
 */
export function isDeadHolder(identity: string): boolean {
  const [, host, processId] = /^(.*)_(\d+)_[^_]+$/.exec(identity) ?? []
  return host === hostname() && !isProcessAlive(Number(processId))
}
