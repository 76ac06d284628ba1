import { expect, test } from 'vitest'
import type { Operation } from '../../../src/control-plane/driver/operation.ts'
import type { Plane } from '../../../src/control-plane/plane/plane.ts'
import type { PlaneRecord } from '../../../src/drivers/kubernetes/record/plane-record.ts'
import { KubernetesDriver } from '../../../src/drivers/kubernetes/kubernetes-driver.ts'
import { toPlane } from '../../../src/drivers/kubernetes/record/plane-record.ts'
import { workloadPath } from '../../../src/drivers/kubernetes/observed/workloads.ts'
import { finishPause } from '../../../src/operator/plane/finish-pause.ts'
import { silentUi } from '../../../src/shared/ui.ts'
import { FakeCluster } from '../../drivers/kubernetes/fake-cluster.ts'

const { signal } = new AbortController()
const SINCE = '2026-06-01T12:00:00.000Z'
const ASLEEP = { desired: 'paused', idleSince: SINCE } as const
const JOURNAL = { operation: 'pause', step: 'stopping', at: SINCE, holder: 'another' } as const

test.for([
  ['that nobody used', { ...ASLEEP, journal: JOURNAL }],
  ['by its ControlPlane', { desired: 'paused', journal: JOURNAL }],
  ['whose etcd someone started', ASLEEP],
] as const)('continues the interrupted pause of a plane %s', async ([, fields]) => {
  const { cluster, finish } = await halfPaused(fields)

  const status = await finish()

  expect(status.phase).toBe('Paused')
  expect(cluster.pods()).toEqual([])
  expect(cluster.recordOf('dev')).toMatchObject({ desired: 'paused' })
  expect(cluster.recordOf('dev')).not.toHaveProperty('journal')
})

test('does not pause a plane again that was woken meanwhile', async () => {
  const { cluster, finish } = await halfPaused(ASLEEP)
  await cluster.changeRecord('dev', { desired: 'running', idleSince: undefined })

  await finish()

  expect(cluster.recordOf('dev')).toMatchObject({ desired: 'running' })
  expect(cluster.pods()).not.toEqual([])
})

test('leaves a pause alone that another vplane does at the moment', async () => {
  const { cluster, finish, plane } = await halfPaused(ASLEEP)

  const operation = {
    kind: 'pause',
    step: 'stopping',
    since: new Date(SINCE),
    at: new Date(SINCE),
    holder: 'another',
    isInterrupted: false,
    hints: [],
  } as const
  const etcd = { name: 'etcd', state: 'running' } as const
  await finish({ phase: 'NotReady', components: [etcd], operation })

  expect(plane.desired).toBe('paused')
  expect(cluster.pods()).not.toEqual([])
})

test.for([
  { name: 'that clients wake', fields: ASLEEP, limitMs: 30_000 },
  { name: 'that its ControlPlane pauses', fields: { desired: 'paused' }, limitMs: 600_000 },
] as const)('tries for $limitMs ms with a plane $name', async ({ fields, limitMs }) => {
  const { plane, status } = await halfPaused(fields)
  const limits: Array<number | undefined> = []
  const driver = {
    status: async () => status,
    pause: async (_: Plane, { timeoutMs }: Operation) => void limits.push(timeoutMs),
  }

  await finishPause({ driver, ui: silentUi, timeoutMs: 600_000 }, { plane, status }, signal)

  expect(limits).toEqual([limitMs])
})

/** A plane that is to be paused, and of which etcd still runs. */
async function halfPaused(fields: Partial<PlaneRecord>) {
  const cluster = new FakeCluster()
  const stored = await cluster.create('dev', { userSpec: { idle: '1m' }, declaredBy: 'uid-1' })
  const { record } = await cluster.changeRecord('dev', fields)
  for (const component of ['kube-apiserver', 'kube-controller-manager'] as const) {
    const patch = { spec: { replicas: 0 } }
    await cluster.api.patch(workloadPath(stored, component), patch, { type: 'merge' })
  }
  const driver = new KubernetesDriver(cluster.driverContext())
  const plane: Plane = toPlane(record, { namespace: 'team-a', hostContext: 'lab' })
  const deps = { driver, ui: cluster.ui, timeoutMs: 5000 }
  const before = await driver.status(plane)
  return {
    cluster,
    plane,
    status: before,
    finish: (status = before) => finishPause(deps, { plane, status }, signal),
  }
}
