import type { Hint } from '../../shared/hint.ts'
import { recordAt, textAt, type Json } from '../../shared/json-fields.ts'
import type { KubeObject } from '../../shared/kube/kube-object.ts'
import { collectionPath } from '../../shared/kube/collections.ts'

/** How long a Lease lasts without renewal, how often it is renewed, and when its holder stops writing. */
export const LEASE_TIMES = { durationMs: 15_000, renewMs: 5000, graceMs: 10_000 }

export type LeaseTimes = typeof LEASE_TIMES

/** A process that wants or holds a Lease. */
export interface LeaseClaim {
  /** Metadata of the Lease, with any labels and annotations. */
  metadata: KubeObject['metadata'] & { name: string; namespace: string }
  /** A unique name of this process, never used by another one. */
  holder: string
  /** Whether another holder has certainly ended. */
  isDead: (holder: string) => boolean
  /** For errors: what the holder does (`working on "dev"`), and hints for when it has to stop. */
  purpose: { what: string; hints?: readonly Hint[] }
  now: () => Date
  times: LeaseTimes
}

export function leasesPath({ metadata }: Pick<LeaseClaim, 'metadata'>): string {
  return collectionPath('leases', metadata.namespace)
}

export function leasePath(claim: Pick<LeaseClaim, 'metadata'>): string {
  return `${leasesPath(claim)}/${claim.metadata.name}`
}

/** A new Lease held from now on. */
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

/** The same Lease, held by a new holder from now on. */
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

/** The holder of a Lease; undefined when it has none. */
export function holderOf(lease: KubeObject): string | undefined {
  return textAt(lease, 'spec', 'holderIdentity')
}

/** When a Lease was last renewed, by the clock of its holder. */
export function renewTimeOf(lease: KubeObject): Date | undefined {
  const time = new Date(String(specOf(lease)['renewTime']))
  return Number.isNaN(time.getTime()) ? undefined : time
}

function specOf(lease: KubeObject): Json {
  return recordAt(lease, 'spec') ?? {}
}

/** The API accepts only microseconds. */
function microTime(date: Date): string {
  return date.toISOString().replace('Z', '000Z')
}
