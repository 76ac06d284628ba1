import type { JournalEntry } from '../../../../src/control-plane/operations/journal.ts'
import { expect, test } from 'vitest'
import { observePlane } from '../../../../src/drivers/kubernetes/observed/observed-plane.ts'
import { maintainPlane } from '../../../../src/drivers/kubernetes/maintain/maintain-plane.ts'
import type { PlaneRecord } from '../../../../src/drivers/kubernetes/record/plane-record.ts'
import type { MemoryHostHooks } from '../../../support/api/memory-host-api.ts'
import { refusing } from '../../../support/driver/refusing.ts'
import { FakeCluster } from '../fake-cluster.ts'

const PLACE = { name: 'dev', namespace: 'team-a' }

test('records that etcd has data once its pod is ready', async () => {
  const { cluster, maintain } = await madePlane()

  await maintain()

  expect(cluster.recordOf('dev')).toMatchObject({ hasData: true })
})

test('records nothing while a member of etcd is not ready, or the plane is not complete', async () => {
  const unready = await madePlane({ arePodsReady: false })
  const { cluster, maintain } = await madePlane()

  await unready.maintain()
  await maintain({ isComplete: false })
  await maintain({ etcdMembers: 3 })

  expect(unready.cluster.recordOf('dev')).toMatchObject({ hasData: false })
  expect(cluster.recordOf('dev')).toMatchObject({ hasData: false })
})

test('renews certificates in their last 90 days, and not before', async () => {
  const { cluster, maintain } = await madePlane()
  await maintain()

  cluster.time = new Date('2027-02-01T00:00:00Z')
  await maintain({ hasData: true })
  const early = cluster.recordOf('dev')
  cluster.time = new Date('2027-04-01T00:00:00Z')
  await maintain({ hasData: true })
  const late = cluster.recordOf('dev')

  expect(early).toMatchObject({ certificatesExpireAt: expect.stringMatching(/^2027-06/) })
  expect(late).toMatchObject({ certificatesExpireAt: expect.stringMatching(/^2028-03/) })
  expect(late).not.toHaveProperty('journal')
})

test('renews nothing of a paused plane', async () => {
  const { cluster, maintain } = await madePlane()
  cluster.time = new Date('2027-04-01T00:00:00Z')
  const before = cluster.api.writes.length

  await maintain({ desired: 'paused', hasData: true })

  expect(cluster.api.writes.slice(before)).toEqual([])
})

test.for(['remove', 'change', 'start'] as const)(
  'changes nothing after an interrupted %s, though certificates expire soon',
  async (operation) => {
    const { cluster, cutOff, maintain, made } = await madePlane()
    cluster.time = new Date('2027-04-01T00:00:00Z')
    const record = await cutOff(operation)
    const path = '/apis/apps/v1/namespaces/team-a/deployments/vplane-dev-kube-apiserver'
    cluster.api.remove(path)
    const seen = cluster.recordOf('dev')

    // A look of before the cut, and one of now.
    await maintain({ hasData: true })
    await maintain(record)

    expect(made.record).not.toHaveProperty('journal')
    expect(cluster.recordOf('dev')).toEqual(seen)
    expect(cluster.api.objects.has(path)).toBe(false)
  },
)

test('continues its own interrupted maintenance', async () => {
  const { cluster, cutOff, maintain } = await madePlane()
  const record = await cutOff('maintain')

  await maintain(record)

  expect(cluster.recordOf('dev')).toMatchObject({ hasData: true })
  expect(cluster.recordOf('dev')).not.toHaveProperty('journal')
})

test('tries again later what it may not do', async () => {
  let isForbidden = false
  const isRefused = (request: string) => isForbidden && request.startsWith('create ')
  const { cluster, maintain } = await madePlane(refusing(403, 'leases is forbidden', isRefused))
  isForbidden = true

  await maintain()

  expect(cluster.recordOf('dev')).toMatchObject({ hasData: false })
})

type Given = MemoryHostHooks & { arePodsReady?: boolean }

async function madePlane({ arePodsReady = true, ...hooks }: Given = {}) {
  const cluster = new FakeCluster(hooks)
  cluster.arePodsReady = arePodsReady
  const made = await cluster.create('dev')
  const { signal } = cluster.operation()
  return {
    cluster,
    made,
    /** Someone begins something with the plane and is killed. */
    cutOff: async (operation: JournalEntry['operation']) => {
      const at = cluster.time.toISOString()
      const journal = { operation, step: 'removing the components', at, holder: 'gone' }
      return (await cluster.changeRecord('dev', { journal })).record
    },
    maintain: async (fields: Partial<PlaneRecord> = {}) => {
      const observed = await observePlane(cluster.api, PLACE, signal)
      const look = { place: PLACE, record: { ...made.record, ...fields }, observed, signal }
      await maintainPlane(cluster.driverContext(), cluster.api, look)
    },
  }
}
