import { expect, test } from 'vitest'
import type { UserSpec } from '../../../../src/control-plane/spec.ts'
import { EPHEMERAL } from '../fake-cluster.ts'
import { NO_DATA } from '../repair/ill-plane.ts'
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
  plane.ill(1, NO_DATA)
  plane.etcd.leave(1)
  const before = [0, 2].map(plane.uidsOf)

  await plane.change({ ...EPHEMERAL, ...OTHER_FLAGS })

  expect(plane.etcd.done).toEqual(['add 1', 'promote 21'])
  expect(plane.members()).toEqual([0, 1, 2])
  expect([0, 2].map(plane.uidsOf)).toEqual(before)
  expect(plane.fewestPods()).toBe(3)
})
