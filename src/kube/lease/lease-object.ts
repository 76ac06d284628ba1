import type { Hint } from '../../shared/hint.ts'
import { recordAt, textAt, type Json } from '../../shared/json-fields.ts'
import type { KubeObject } from '../../shared/kube/kube-object.ts'
import { collectionPath } from '../../shared/kube/collections.ts'

/** How long a Lease counts without being renewed, when it is renewed, and when its holder stops writing. */
export interface LeaseTimes {
  durationMs: number
  renewMs: number
  graceMs: number
}

/** Lasts for 15 s, is renewed every 5 s, and its holder stops after 10 s without renewal. */
export const LEASE_TIMES: LeaseTimes = { durationMs: 15_000, renewMs: 5000, graceMs: 10_000 }

/** Somebody who wants a Lease, or has it. */
export interface LeaseClaim {
  /** Of the Lease, with whatever else it is to carry. */
  metadata: KubeObject['metadata'] & { name: string; namespace: string }
  /** Who claims it: nobody else ever has the same name. */
  holder: string
  /** Tells that another holder is gone for sure. */
  isDead: (holder: string) => boolean
  /** What its holder does, and what to do when that has to stop, for errors: `working on "dev"`. */
  purpose: { what: string; hints?: readonly Hint[] }
  now: () => Date
  times: LeaseTimes
}

/** Path of all Leases of a namespace. */
export function leasesPath({ metadata }: Pick<LeaseClaim, 'metadata'>): string {
  return collectionPath('leases', metadata.namespace)
}

/** Path of the Lease. */
export function leasePath(claim: Pick<LeaseClaim, 'metadata'>): string {
  return `${leasesPath(claim)}/${claim.metadata.name}`
}

/** The Lease, held from now on. */
export function newLease({ holder, metadata, now, times }: LeaseClaim): KubeObject {
  const time = microTime(now())
  return {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata,
    spec: {
      holderIdentity: holder,
      leaseDurationSeconds: Math.ceil(times.durationMs / 1000),
      acquireTime: time,
      renewTime: time,
      leaseTransitions: 0,
    },
  }
}

/** The same Lease, held by somebody else from now on. */
export function takenLease(
  lease: KubeObject,
  { holder, now }: Pick<LeaseClaim, 'holder' | 'now'>,
): KubeObject {
  const time = microTime(now())
  const spec = specOf(lease)
  const leaseTransitions = Number(spec['leaseTransitions'] ?? 0) + 1
  return {
    ...lease,
    spec: { ...spec, holderIdentity: holder, acquireTime: time, renewTime: time, leaseTransitions },
  }
}

/** The same Lease, renewed. */
export function renewedLease(lease: KubeObject, now: Date): KubeObject {
  return { ...lease, spec: { ...specOf(lease), renewTime: microTime(now) } }
}

/** Who holds a Lease; undefined when nobody does. */
export function holderOf(lease: KubeObject): string | undefined {
  return textAt(lease, 'spec', 'holderIdentity')
}

/** When a Lease was renewed last, by the clock of its holder. */
export function renewTimeOf(lease: KubeObject): Date | undefined {
  const time = new Date(String(specOf(lease)['renewTime']))
  return Number.isNaN(time.getTime()) ? undefined : time
}

function specOf(lease: KubeObject): Json {
  return recordAt(lease, 'spec') ?? {}
}

/** Leases hold microseconds, and the API takes nothing less. */
function microTime(date: Date): string {
  return date.toISOString().replace('Z', '000Z')
}
