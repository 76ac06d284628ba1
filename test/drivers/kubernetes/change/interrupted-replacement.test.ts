import { expect, test } from 'vitest'
import { startPlane } from '../../../../src/drivers/kubernetes/lifecycle/start-plane.ts'
import { replaceRecord } from '../../../../src/drivers/kubernetes/record/record-store.ts'
import { rejectionOf } from '../../../support/thrown-by.ts'
import { CLAIM, NO_DATA, told } from '../repair/ill-plane.ts'
import { interruptedPlane, ordinals, OTHER_FLAGS } from './interrupted-plane.ts'

test.for([
  { count: 3, lost: 1 },
  { count: 3, lost: 0 },
  { count: 5, lost: 2 },
] as const)(
  'replaces member $lost of $count after an interrupted repair, and changes no other',
  async ({ count, lost }) => {
    const plane = await interruptedPlane(count)
    plane.ill(lost, NO_DATA)
    await plane.cutAfter(`remove 1${lost}`, plane.repair)
    const left = plane.etcd.members()
    const others = ordinals(count).filter((ordinal) => ordinal !== lost)
    const before = others.map(plane.uidsOf)

    await plane.change(OTHER_FLAGS)

    expect(left).toEqual(others)
    expect(plane.etcd.done).toEqual([`remove 1${lost}`, `add ${lost}`, 'promote 21'])
    expect(plane.members()).toEqual(ordinals(count))
    expect(others.map(plane.uidsOf)).toEqual(before)
    expect(plane.fewestPods()).toBe(count)
    expect(told(plane.cluster)).toEqual(ordinals(count).map(() => 1))
  },
)

test('continues a replacement that was interrupted before its new member started', async () => {
  const plane = await interruptedPlane(3)
  // The new member is there, the pod is that of the one before.
  plane.etcd.leave(2)
  plane.etcd.join(2, 'learner')
  plane.ill(2, NO_DATA)

  await plane.change(OTHER_FLAGS)

  expect(plane.etcd.done).toEqual(['remove 21', 'add 2', 'promote 22'])
  expect(plane.members()).toEqual([0, 1, 2])
  expect(plane.fewestPods()).toBe(3)
})

test('removes the member whose replacement was interrupted from a smaller etcd', async () => {
  const plane = await interruptedPlane(3)
  plane.ill(1, NO_DATA)
  await plane.cutAfter('remove 11', plane.repair)
  const membersAtScale: number[][] = []
  plane.onScale(() => membersAtScale.push(plane.members()))

  await plane.change({ etcd: { replicas: 1 } })

  expect(plane.etcd.members()).toEqual([0])
  expect(membersAtScale).toEqual([[0]])
  expect(ordinals(3).map((ordinal) => plane.cluster.api.objects.has(CLAIM(ordinal)))).toEqual([
    true,
    false,
    false,
  ])
})

test('keeps the pod of a member that etcd has at a start, and the member at a change', async () => {
  const plane = await interruptedPlane(3)
  // As vplane 0.1.0 left it when it was interrupted after it had written down that two members go.
  plane.etcd.leave(1)
  plane.ill(1, NO_DATA)
  const stored = await plane.stored()
  const record = { ...stored.record, etcdMembers: 1 }
  await replaceRecord(plane.cluster.api, stored, { ...plane.cluster.operation(), record })
  const before = [0, 2].map(plane.uidsOf)

  await startPlane(plane.cluster.driverContext(), await plane.stored(), plane.cluster.operation())
  const started = plane.members()
  const running = await plane.stored()
  const again = await startPlane(plane.cluster.driverContext(), running, plane.cluster.operation())
  await plane.change(OTHER_FLAGS)

  expect(started).toEqual([0, 2])
  expect(again).toBe(running)
  expect(plane.fewestPods()).toBe(3)
  expect(plane.etcd.done).toEqual(['add 1', 'promote 21'])
  expect(plane.members()).toEqual([0, 1, 2])
  expect([0, 2].map(plane.uidsOf)).toEqual(before)
})

test('keeps a volume of an ordinal that etcd has a member for', async () => {
  const plane = await interruptedPlane(3)
  plane.etcd.join(4, 'voter')
  plane.putClaim(4)
  // It joins again whenever it is taken out.
  plane.cluster.api.hooks.onRequest = () => {
    if (!plane.etcd.members().includes(4)) {
      plane.etcd.join(4, 'voter')
    }
  }

  const error = await rejectionOf(plane.change(OTHER_FLAGS, 1000))

  expect(error.message).toContain('vplane-dev-etcd-4')
  expect(plane.cluster.api.objects.has(CLAIM(4))).toBe(true)
})

test('keeps a volume that was created again before the deletion of the former one', async () => {
  const plane = await interruptedPlane(3)
  plane.putClaim(4)
  const { api } = plane.cluster
  const former = api.objects.get(CLAIM(4))?.metadata.uid
  api.hooks.onRequest = ({ path, verb }) => {
    if (verb === 'delete' && path === CLAIM(4)) {
      api.remove(path)
      plane.putClaim(4)
    }
  }

  const error = await rejectionOf(plane.change(OTHER_FLAGS))

  expect(error.code).toBe('CONFLICT')
  expect(api.objects.has(CLAIM(4))).toBe(true)
  expect(api.objects.get(CLAIM(4))?.metadata.uid).not.toBe(former)
})

test('repairs an etcd with one member of three that vplane 0.1.0 left', async () => {
  const plane = await interruptedPlane(3)
  const unequal =
    '{"level":"fatal","msg":"discovery failed","error":"error validating peerURLs: member count is unequal"}\n'
  plane.etcd.leave(1)
  plane.etcd.leave(2)
  plane.etcd.join(1, 'learner')
  plane.ill(1, unequal)
  plane.ill(2, unequal)
  const stored = await plane.stored()
  const record = { ...stored.record, etcdMembers: 3, joining: 1 }
  await replaceRecord(plane.cluster.api, stored, { ...plane.cluster.operation(), record })
  const first = plane.uidsOf(0)

  await plane.repair()

  expect(plane.members()).toEqual([0, 1, 2])
  expect(plane.uidsOf(0)).toEqual(first)
  expect(told(plane.cluster)).toEqual([1, 1, 1])
})
