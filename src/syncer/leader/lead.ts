import { randomUUID } from 'node:crypto'
import type { KubeClient } from '../../kube/client/client.ts'
import { claimLease } from '../../kube/lease/claim-lease.ts'
import { LEASE_TIMES, type LeaseClaim, type LeaseTimes } from '../../kube/lease/lease-object.ts'

interface Clients {
  host: KubeClient
  plane: KubeClient
}

export interface LeadOptions extends Clients {
  /** The Lease by which several syncers elect a leader; undefined if the plane has one syncer. */
  lease: LeaseClaim['metadata'] | undefined
  /** Name of this process's pod, which runs one syncer at a time. */
  pod: string
  now: () => Date
  log: (line: string) => void
  /** @default lasts for 15 s, is renewed every 5 s, and nothing is written after 10 s without renewal */
  times?: LeaseTimes
}

export interface Leading extends Clients {
  signal: AbortSignal
}

/**
 * Works as the only syncer of the plane until the signal fires, and then releases the Lease for the next one.
 *
 * A Lease does not fence: a leader that was suspended may not know yet that another one works, and the writes of both take
 * effect. The way of writing makes that harmless. Objects are created with fixed names, so the second create is refused
 * (409). They are replaced at a known version, deleted by their UID, and bound once. Writes without a version contain what
 * follows from the virtual object alone, such as labels of host pods, or what is valid from either leader, such as a token.
 * Where an old leader has restored an earlier state, that change makes the new leader sync the object again.
 *
 * @throws {VplaneError} `CONFLICT` when another syncer took the Lease: this process has to be restarted.
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

/** A client that calls `before` before each attempt to write; when that fails, it sends no request. */
export function beforeWrites(client: KubeClient, before: () => void | Promise<void>): KubeClient {
  const after = async <Result>(request: () => Promise<Result>): Promise<Result> => {
    await before()
    return request()
  }
  return {
    ...client,
    create: (...args) => after(() => client.create(...args)),
    apply: (...args) => after(() => client.apply(...args)),
    patch: (...args) => after(() => client.patch(...args)),
    replace: (...args) => after(() => client.replace(...args)),
    delete: (...args) => after(() => client.delete(...args)),
  }
}
