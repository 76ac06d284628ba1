import { expect, test } from 'vitest'
import type { UserSpec } from '../../../../src/control-plane/spec/spec.ts'
import { claimLease } from '../../../../src/kube/lease/claim-lease.ts'
import { LEASE_TIMES, type LeaseClaim, leasePath } from '../../../../src/kube/lease/lease-object.ts'
import { lockName } from '../../../../src/manifests/object-names.ts'
import { keeperMembers } from '../../../keeper/members/keeper-members.ts'
import { EPHEMERAL } from '../fake-cluster.ts'
import { NO_DATA, PLACE } from '../repair/ill-plane.ts'
import { interruptedPlane, OTHER_FLAGS } from './interrupted-plane.ts'

// Beside members without volumes runs a keeper, which has to be built.
test('the same change again continues the replacement of a member whose data goes with its pod', async () => {
  const plane = await interruptedPlane(3, EPHEMERAL)
  const wanted: UserSpec = { ...EPHEMERAL, etcd: { extraArgs: { 'max-txn-ops': '200' } } }
  const isOut = () => plane.etcd.done.some((act) => act.startsWith('remove'))
  await plane.cutWhen(isOut, () => plane.change(wanted))
  const left = plane.etcd.members()

  await plane.change(wanted)

  expect(left).toHaveLength(2)
  expect(plane.members()).toEqual([0, 1, 2])
  expect(plane.fewestPods()).toBe(3)
})

test('a change continues what a keeper began whose new member etcd did not take yet', async () => {
  const plane = await interruptedPlane(3, EPHEMERAL)
  const { api } = plane.cluster
  const hold = (signal: AbortSignal) => claimLease(api, KEEPER, signal)
  const keeper = await keeperMembers(plane, { count: 3, hold })
  plane.ill(1, NO_DATA)
  plane.etcd.refuseOnce('add', 'etcdserver: too many learner members in cluster')
  const before = [0, 2].map(plane.uidsOf)
  await keeper.reconcile()
  const left = plane.members()
  const isHeld = api.objects.has(leasePath(KEEPER))

  await plane.change({ ...EPHEMERAL, ...OTHER_FLAGS })

  expect([left, isHeld]).toEqual([[0, 2], false])
  expect(api.requests).toContain(`delete ${leasePath(KEEPER)}`)
  expect(plane.etcd.done).toEqual(['remove 11', 'add 1', 'promote 21'])
  expect(plane.members()).toEqual([0, 1, 2])
  expect([0, 2].map(plane.uidsOf)).toEqual(before)
  expect(plane.fewestPods()).toBe(3)
})

/** The Lease of the plane, as its keeper holds it. */
const KEEPER: LeaseClaim = {
  metadata: { name: lockName(PLACE.name), namespace: PLACE.namespace },
  holder: 'vplane-dev-keeper_1_a',
  isDead: () => false,
  purpose: { what: 'replacing members of etcd of "dev"' },
  now: () => new Date(),
  times: LEASE_TIMES,
}
