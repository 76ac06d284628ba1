import { expect, test } from 'vitest'
import { changedSpec } from '../../../../src/control-plane/changes/changed-spec.ts'
import { changePlane } from '../../../../src/drivers/kubernetes/change/change-plane.ts'
import { hostMoves } from '../../../../src/drivers/kubernetes/driver-parts.ts'
import { toPlane } from '../../../../src/drivers/kubernetes/record/plane-record.ts'
import { pausePlane } from '../../../../src/drivers/kubernetes/lifecycle/pause-plane.ts'
import { startPlane } from '../../../../src/drivers/kubernetes/lifecycle/start-plane.ts'
import type { ReadableRecord } from '../../../../src/drivers/kubernetes/record/record-store.ts'
import { rejectionOf } from '../../../support/thrown-by.ts'
import { FakeCluster } from '../fake-cluster.ts'

type Work = (cluster: FakeCluster, stored: ReadableRecord) => Promise<unknown>

const start: Work = (cluster, stored) =>
  startPlane(cluster.driverContext(), stored, cluster.operation())
const pause: Work = (cluster, stored) =>
  pausePlane(cluster.driverContext(), stored, cluster.operation())
const change: Work = (cluster, stored) =>
  changePlane(cluster.driverContext(), stored, {
    change: changedSpec({ ...stored.record, driver: 'kubernetes' }, { apiGroups: 'lean' }),
    operation: cluster.operation(),
  })
const leave: Work = (cluster, { namespace, record }) =>
  hostMoves(cluster.driverContext()).leave(
    toPlane(record, { namespace, hostContext: '' }),
    {
      hasBegun: () => Promise.resolve(false),
      to: { driver: 'kubernetes', name: 'dev', namespace: 'team-b' },
      transfer: () => Promise.reject(new Error('not reached')),
    },
    cluster.operation(),
  )

test('refers to the deletion of a plane whose namespace is being deleted', async () => {
  const cluster = new FakeCluster()
  const stored = await cluster.create('dev')
  const path = '/api/v1/namespaces/team-a'
  const namespace = cluster.api.objects.get(path)
  expect.assert(namespace !== undefined)
  const deletionTimestamp = '2026-06-01T12:00:00Z'
  cluster.api.put(path, { ...namespace, metadata: { ...namespace.metadata, deletionTimestamp } })

  const error = await rejectionOf(pause(cluster, stored))

  expect(error.message).toBe('namespace "team-a" is being deleted, and "dev" with it')
  expect(error.hints[0]).toContain('vplane delete dev')
})

const RESTORE = { restoring: { former: 'etcd-before-20260102T030405' }, desired: 'paused' } as const
const REPAIR = { regaining: [1], desired: 'paused' as const }

test.for<[string, string, Work, Parameters<FakeCluster['store']>[1]]>([
  ['started', 'restore', start, RESTORE],
  ['changed', 'restore', change, RESTORE],
  ['moved', 'restore', leave, RESTORE],
  ['started', 'repair', start, REPAIR],
  ['changed', 'repair', change, REPAIR],
  ['moved', 'repair', leave, REPAIR],
  ['paused', 'repair', pause, { regaining: [1] }],
])('is not %s after an interrupted %s', async ([, what, work, fields]) => {
  const cluster = new FakeCluster()
  const stored = await cluster.store('dev', fields)
  const before = cluster.recordOf('dev')

  const error = await rejectionOf(work(cluster, stored))

  expect(error).toMatchObject({
    code: 'FAILED',
    message: expect.stringContaining('was interrupted'),
    hints: [expect.stringContaining(`vplane ${what} dev`)],
  })
  expect(cluster.recordOf('dev')).toEqual(before)
})
