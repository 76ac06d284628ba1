import { expect, test } from 'vitest'
import { hostedEtcd } from '../../../../src/drivers/kubernetes/etcd/hosted-etcd.ts'
import { storedKeys } from '../../../../src/drivers/kubernetes/objects/stored-keys.ts'
import { hostMoves } from '../../../../src/drivers/kubernetes/driver-parts.ts'
import { toPlane } from '../../../../src/drivers/kubernetes/record/plane-record.ts'
import { pausePlane } from '../../../../src/drivers/kubernetes/lifecycle/pause-plane.ts'
import { startPlane } from '../../../../src/drivers/kubernetes/lifecycle/start-plane.ts'
import { dataFingerprint } from '../../../../src/etcd/data/data-fingerprint.ts'
import { etcdGateway } from '../../../support/etcd-gateway.ts'
import { RecordingUi } from '../../../support/driver/recording-ui.ts'
import { rejectionOf } from '../../../support/thrown-by.ts'
import { FakeCluster } from '../fake-cluster.ts'

test('lets a plane wait for its data again that no client has written to, with only etcd left', async () => {
  const { cluster, stored, takeBack } = await arrivedPlane()

  const isTaken = await takeBack()
  const starting = startPlane(cluster.driverContext(), stored, cluster.operation())
  const refusal = await rejectionOf(starting)
  const isTakenAgain = await takeBack()

  expect([isTaken, isTakenAgain]).toEqual([true, true])
  expect(cluster.pods()).toEqual(['vplane-dev-etcd-0'])
  expect(cluster.recordOf('dev')).toMatchObject({
    desired: 'paused',
    restoring: { movingFrom: 'the plane that left' },
  })
  expect(cluster.recordOf('dev')).not.toHaveProperty('journal')
  expect(refusal.message).toBe('the move of "dev" to this place was interrupted')
})

test('changes nothing of a plane that a client has written to', async () => {
  const { cluster, data, takeBack } = await arrivedPlane()
  data.push('a write')
  const before = cluster.recordOf('dev')

  const isTaken = await takeBack()

  expect(isTaken).toBe(false)
  expect(cluster.recordOf('dev')).toEqual(before)
  expect(cluster.pods()).toHaveLength(3)
})

test('starts a plane again that a client has written to in the last moment', async () => {
  const { cluster, data, takeBack } = await arrivedPlane()
  const ui = new RecordingUi()
  ui.step = (text) => {
    if (text === 'Stopping kube-apiserver') {
      data.push('the last write')
    }
  }

  const isTaken = await takeBack(ui)

  expect(isTaken).toBe(false)
  expect(data).toHaveLength(2)
  expect(cluster.pods()).toHaveLength(3)
  expect(cluster.recordOf('dev')).toMatchObject({ desired: 'running' })
  expect(cluster.recordOf('dev')).not.toHaveProperty('restoring')
})

test('takes no plane back that was paused since, as it must have run', async () => {
  const { cluster, stored, takeBack } = await arrivedPlane()
  await pausePlane(cluster.driverContext(), stored, cluster.operation())

  expect(await takeBack()).toBe(false)
})

/** A plane that was handed over to, with an etcd that stores some texts. */
async function arrivedPlane() {
  const cluster = new FakeCluster()
  const context = cluster.driverContext()
  const operation = cluster.operation()
  const stored = await cluster.create('dev')
  const { name, namespace, record } = stored
  const place = { name, namespace }
  const data = ['what was brought']
  const base64 = (text: string) => Buffer.from(text).toString('base64')
  const { dial } = await etcdGateway(
    () => [200, { header: { revision: '42' }, kvs: data.map((key) => ({ key: base64(key) })) }],
    await storedKeys(cluster.api, place, operation.signal),
  )
  cluster.forward = dial
  const connection = await hostedEtcd(await context.host(), place, operation.signal)
  const handed = await dataFingerprint(connection, operation.signal)
  const plane = toPlane(record, { namespace, hostContext: '' })
  const request = { handed, movingFrom: 'the plane that left' }
  return {
    cluster,
    data,
    stored,
    takeBack: (ui = cluster.ui) =>
      hostMoves(context).takeBack(plane, request, { ...operation, ui }),
  }
}
