import { expect, test } from 'vitest'
import type { LeaveRequest } from '../../../../src/control-plane/driver/plane-moves.ts'
import type { UserSpec } from '../../../../src/control-plane/spec/spec.ts'
import { filesOf } from '../../../../src/drivers/kubernetes/objects/plane-keys.ts'
import { hostMoves } from '../../../../src/drivers/kubernetes/driver-parts.ts'
import { toPlane } from '../../../../src/drivers/kubernetes/record/plane-record.ts'
import { pausePlane } from '../../../../src/drivers/kubernetes/lifecycle/pause-plane.ts'
import { startPlane } from '../../../../src/drivers/kubernetes/lifecycle/start-plane.ts'
import { rejectionOf } from '../../../support/thrown-by.ts'
import { FakeCluster } from '../fake-cluster.ts'

const TO = { name: 'dev', driver: 'local' } as const
const CLIENT = ['apiserver-etcd-client.crt', 'apiserver-etcd-client.key']
const HANDED = { keys: 7, sha256: 'ab' }
const DEATH = new Error('cut off')

test('runs only etcd while its data is transferred, and then nothing', async () => {
  const { cluster, leave } = await madePlane()
  let seen: unknown

  await leave(async (handOver) => {
    seen = { pods: cluster.pods(), keys: keysOf(cluster), record: cluster.recordOf('dev') }
    await handOver('its heir', HANDED)
  })

  expect(seen).toMatchObject({
    pods: ['vplane-dev-etcd-0'],
    record: { desired: 'paused', movingTo: { to: TO }, journal: { operation: 'move' } },
  })
  expect(seen).toHaveProperty('keys', expect.not.arrayContaining(CLIENT))
  expect(cluster.pods()).toEqual([])
  expect(cluster.recordOf('dev')).toMatchObject({
    movingTo: { to: TO, handedTo: 'its heir', handed: HANDED },
  })
  expect(cluster.recordOf('dev')).not.toHaveProperty('journal')
})

test('removes the certificate before pods end, so that no new one can start', async () => {
  const { cluster, leave } = await madePlane()
  const before = cluster.api.writes.length

  await leave((handOver) => handOver('its heir', HANDED))

  const writes = cluster.api.writes.slice(before)
  const indexOf = (text: string) => writes.findIndex((write) => write.endsWith(text))
  const taken = indexOf('secrets/vplane-dev-kube-apiserver')
  expect(taken).toBeGreaterThan(-1)
  expect(taken).toBeLessThan(indexOf('deployments/vplane-dev-kube-apiserver'))
})

test('starts etcd of a paused plane meanwhile', async () => {
  const { cluster, leave, stored } = await madePlane()
  await pausePlane(cluster.driverContext(), stored, cluster.operation())
  let seen: string[] = []

  await leave(async (handOver) => {
    seen = cluster.pods()
    await handOver('its heir', HANDED)
  })

  expect(seen).toEqual(['vplane-dev-etcd-0'])
})

test('returns with another certificate when nothing was handed over', async () => {
  const { back, cluster, dieWhileLeaving, stored } = await madePlane()
  const whole = keysOf(cluster)
  await dieWhileLeaving()

  const starting = startPlane(cluster.driverContext(), stored, cluster.operation())
  const refusal = await rejectionOf(starting)
  await back()

  expect(refusal.message).toBe('"dev" is fenced: it is being moved to driver local')
  expect(keysOf(cluster)).toEqual(whole)
  expect(cluster.pods()).toHaveLength(3)
  expect(cluster.recordOf('dev')).toMatchObject({ desired: 'running' })
  expect(cluster.recordOf('dev')).not.toHaveProperty('movingTo')
})

test.for([
  [false, []],
  [true, ['vplane-dev-etcd-0']],
] as const)('returns paused when it was: ephemeral %s', async ([ephemeral, running]) => {
  const { back, cluster, dieWhileLeaving, stored } = await madePlane({ ephemeral })
  const whole = keysOf(cluster)
  await pausePlane(cluster.driverContext(), stored, cluster.operation())
  await dieWhileLeaving()
  await dieWhileLeaving()

  await back()

  expect(cluster.pods()).toEqual(running)
  expect(keysOf(cluster)).toEqual(whole)
  expect(cluster.recordOf('dev')).toMatchObject({ desired: 'paused' })
  expect(cluster.recordOf('dev')).not.toHaveProperty('movingTo')
})

test('remains fenced when its data in the other place cannot be deleted', async () => {
  const { back, cluster, dieWhileLeaving } = await madePlane()
  await dieWhileLeaving()

  await expect(back(() => Promise.reject(DEATH))).rejects.toThrow('cut off')

  expect(cluster.recordOf('dev')).toMatchObject({ movingTo: { to: TO } })
  expect(keysOf(cluster)).not.toEqual(expect.arrayContaining(CLIENT))
})

test('neither transfers again nor returns once it was handed over', async () => {
  const { back, cluster, leave } = await madePlane()
  await leave((handOver) => handOver('its heir', HANDED))

  await leave(() => Promise.reject(DEATH))

  await expect(back()).rejects.toThrow('cut off')
  expect(cluster.recordOf('dev')).toHaveProperty('movingTo.handedTo', 'its heir')
})

test('returns although it was handed over, when the other plane is taken back first', async () => {
  const { back, cluster, leave } = await madePlane()
  await leave((handOver) => handOver('its heir', HANDED))
  let noted: unknown
  const undo = () => {
    noted = cluster.recordOf('dev')
    return Promise.reject(DEATH)
  }

  await expect(back(undo, () => Promise.resolve())).rejects.toThrow('cut off')
  await back()

  expect(noted).toHaveProperty('movingTo', { to: TO })
  expect(cluster.pods()).toHaveLength(3)
  expect(cluster.recordOf('dev')).not.toHaveProperty('movingTo')
})

test('transfers again as long as the other plane has not started', async () => {
  const { cluster, leave } = await madePlane()
  await leave((handOver) => handOver('its heir', HANDED))

  await leave((handOver) => handOver('another one', HANDED), false)

  expect(cluster.recordOf('dev')).toMatchObject({ movingTo: { handedTo: 'another one' } })
})

async function madePlane(userSpec: UserSpec = {}) {
  const cluster = new FakeCluster()
  const context = cluster.driverContext()
  const stored = await cluster.create('dev', { userSpec })
  const plane = toPlane(stored.record, { namespace: stored.namespace, hostContext: '' })
  const moves = hostMoves(context)
  const leave = (transfer: LeaveRequest['transfer'], begun = true) => {
    const request = { to: TO, transfer, hasBegun: () => Promise.resolve(begun) }
    return moves.leave(plane, request, cluster.operation())
  }
  return {
    cluster,
    stored,
    leave,
    dieWhileLeaving: () => expect(leave(() => Promise.reject(DEATH))).rejects.toThrow('cut off'),
    back: (undo = () => Promise.resolve(), takeBack = (): Promise<void> => Promise.reject(DEATH)) =>
      moves.return(plane, { takeBack, undo }, cluster.operation()),
  }
}

/** The files that kube-apiserver gets. */
function keysOf(cluster: FakeCluster): string[] {
  const path = '/api/v1/namespaces/team-a/secrets/vplane-dev-kube-apiserver'
  return Object.keys(filesOf(cluster.api.objects.get(path)?.['data'])).toSorted()
}
