import { expect } from 'vitest'
import { changedSpec } from '../../../../src/control-plane/changes/changed-spec.ts'
import type { UserSpec } from '../../../../src/control-plane/spec/spec.ts'
import { changePlane } from '../../../../src/drivers/kubernetes/change/change-plane.ts'
import { diagnosePlane } from '../../../../src/drivers/kubernetes/repair/diagnose-plane.ts'
import { repairFaults } from '../../../../src/drivers/kubernetes/repair/repair-faults.ts'
import {
  isReadableRecord,
  readRecord,
} from '../../../../src/drivers/kubernetes/record/record-store.ts'
import { VplaneError } from '../../../../src/shared/errors.ts'
import { rejectionOf } from '../../../support/thrown-by.ts'
import { CLAIM, illPlane, PLACE, POD, putClaim } from '../repair/ill-plane.ts'

const TIMEOUT_MS = 25_000

/** A change that has nothing to do with etcd. */
export const OTHER_FLAGS: UserSpec = { apiServer: { extraArgs: { v: '2' } } }

/** The ordinals of so many members. */
export function ordinals(count: number): number[] {
  return Array.from({ length: count }, (_, ordinal) => ordinal)
}

/** A plane on a host whose connection may break. */
export async function interruptedPlane(count: 3 | 5, more: UserSpec = {}) {
  const cut = { isArmed: (): boolean => false, path: '' }
  let fewest = count as number
  let isMade = false
  let seeScale = (): unknown => undefined
  const plane = await illPlane(count, {
    more,
    onRequest: ({ path, verb }) => {
      const isWrite = ['replace', 'apply', 'patch', 'delete'].includes(verb)
      if (isWrite && path.includes(cut.path) && !path.includes('/leases') && cut.isArmed()) {
        throw new VplaneError('UNREACHABLE', 'the host is gone')
      }
      if (verb === 'patch' && path.endsWith('/statefulsets/vplane-dev-etcd')) {
        seeScale()
      }
      if (isMade) {
        fewest = Math.min(fewest, replicas())
      }
    },
  })
  isMade = true
  const { cluster, context } = plane
  function replicas(): number {
    const path = '/apis/apps/v1/namespaces/team-a/statefulsets/vplane-dev-etcd'
    return Object(Object(cluster.api.objects.get(path))['spec']).replicas
  }
  const operation = () => cluster.operation({ signal: AbortSignal.timeout(TIMEOUT_MS) })
  const stored = async () => {
    const found = await readRecord(cluster.api, PLACE, operation())
    expect.assert(found !== undefined && isReadableRecord(found))
    return found
  }
  const cutWhen = async (isArmed: () => boolean, act: () => Promise<unknown>, path = '') => {
    Object.assign(cut, { isArmed, path })
    const failure = await rejectionOf(act())
    cut.isArmed = () => false
    expect(failure.message).toContain('the host is gone')
  }
  return {
    ...plane,
    putClaim: (ordinal: number) => putClaim(cluster, ordinal),
    stored,
    /** The ordinals of the members that etcd has, the lowest first. */
    members: () => plane.etcd.members().toSorted((left, right) => left - right),
    cutWhen,
    cutAfter: (done: string, act: () => Promise<unknown>, path = '') =>
      cutWhen(() => plane.etcd.done.includes(done), act, path),
    onScale: (see: () => unknown) => (seeScale = see),
    /** The fewest pods that etcd was to have since it was made. */
    fewestPods: () => Math.min(fewest, replicas()),
    repair: async () => {
      const [plane, options] = [await stored(), operation()]
      const { faults } = await diagnosePlane(context(), plane, options.signal)
      await repairFaults(context(), plane, { operation: options, shown: faults })
    },
    change: async (wanted: UserSpec, timeoutMs?: number) => {
      const now = await stored()
      const spec = { ...wanted, etcd: { replicas: count, ...wanted.etcd } }
      const change = changedSpec({ ...now.record, driver: 'kubernetes' }, spec)
      const limit = timeoutMs === undefined ? {} : { timeoutMs }
      await changePlane(context(), now, { change, operation: { ...operation(), ...limit } })
    },
    uidsOf: (ordinal: number) =>
      [POD(ordinal), CLAIM(ordinal)].map((path) => cluster.api.objects.get(path)?.metadata.uid),
  }
}
