import { isRecord } from '../../../kube/kube-object.ts'
import { objectLabels } from '../../../manifests/object-names.ts'
import type { HostObject } from '../host-api.ts'
import { lockName, type PlacedName } from '../object-names.ts'

/** How long a Lease counts without being renewed, when it is renewed, and when its holder stops writing. */
export interface LeaseTimes {
  durationMs: number
  renewMs: number
  graceMs: number
}

export interface LeaseHolder {
  /** Who holds it, see `holderIdentity`. */
  holder: string
  now: () => Date
  times: LeaseTimes
}

/** The Lease of a plane, held from now on. */
export function newLease({ holder, name, namespace, now, times }: PlacedName & LeaseHolder) {
  const time = microTime(now())
  return {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name: lockName(name), namespace, labels: objectLabels(name) },
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
export function takenLease(lease: HostObject, { holder, now }: LeaseHolder): HostObject {
  const time = microTime(now())
  const spec = specOf(lease)
  const leaseTransitions = Number(spec['leaseTransitions'] ?? 0) + 1
  return {
    ...lease,
    spec: { ...spec, holderIdentity: holder, acquireTime: time, renewTime: time, leaseTransitions },
  }
}

/** The same Lease, renewed. */
export function renewedLease(lease: HostObject, now: Date): HostObject {
  return { ...lease, spec: { ...specOf(lease), renewTime: microTime(now) } }
}

/** Who holds a Lease; undefined when nobody does. */
export function holderOf(lease: HostObject): string | undefined {
  const holder = specOf(lease)['holderIdentity']
  return typeof holder === 'string' && holder !== '' ? holder : undefined
}

/** When a Lease was renewed last, by the clock of its holder. */
export function renewTimeOf(lease: HostObject): Date | undefined {
  const time = new Date(String(specOf(lease)['renewTime']))
  return Number.isNaN(time.getTime()) ? undefined : time
}

function specOf(lease: HostObject): Record<string, unknown> {
  return isRecord(lease['spec']) ? lease['spec'] : {}
}

/** Leases hold microseconds, and the API takes nothing less. */
function microTime(date: Date): string {
  return date.toISOString().replace('Z', '000Z')
}
