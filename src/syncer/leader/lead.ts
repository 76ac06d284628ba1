import { randomUUID } from 'node:crypto'
import type { KubeClient } from '../../kube/client/client.ts'
import { claimLease } from '../../kube/lease/claim-lease.ts'
import { LEASE_TIMES, type LeaseClaim, type LeaseTimes } from '../../kube/lease/lease-object.ts'
import { beforeWrites } from './before-writes.ts'

interface Clients {
  host: KubeClient
  plane: KubeClient
}

export interface LeadOptions extends Clients {
  /** The Lease by which one of several is chosen; none for a syncer that is alone. */
  lease: LeaseClaim['metadata'] | undefined
  /** Name of this process's pod, which has one syncer at a time. */
  pod: string
  now: () => Date
  log: (line: string) => void
  /** @default lasts for 15 s, is renewed every 5 s, and nothing is written after 10 s without renewal */
  times?: LeaseTimes
}

export interface Leading extends Clients {
  /** Fires when it is to stop. */
  signal: AbortSignal
}

/**
 * Works when no other syncer of the plane does, until the signal fires; then the next one may begin at once.
 *
 * A Lease does not fence: a leader that was away for a while may not know yet that another one works, and what both have
 * asked for is done. What makes that harmless is how everything is written. Objects are made with fixed names, so the
 * second one is refused (409); they are replaced at the version that was seen, deleted by their UID, bound once. What
 * carries no version says what follows from the virtual object alone, such as labels of host pods, or is as good from
 * either, such as a token; where an old leader has put back what was, the change itself makes the new one look again.
 *
 * @throws {VplaneError} `CONFLICT` when another one took the Lease: this process is to be started anew.
 */
export async function lead(
  options: LeadOptions,
  work: (leading: Leading) => Promise<unknown>,
  signal: AbortSignal,
): Promise<void> {
  const { host, lease, log, now, plane, pod, times = LEASE_TIMES } = options
  if (lease === undefined) {
    await work({ host, plane, signal })
    return
  }
  const claim = {
    metadata: lease,
    holder: `${pod}_${randomUUID()}`,
    isDead: (holder: string) => holder.startsWith(`${pod}_`),
    purpose: { what: 'being the leader' },
    now,
    times,
  }
  await using held = await claimLease(host, claim, signal)
  log('leads')
  const check = () => held.check()
  await work({
    host: beforeWrites(host, check),
    plane: beforeWrites(plane, check),
    signal: AbortSignal.any([signal, held.lost]),
  })
  held.lost.throwIfAborted()
}
