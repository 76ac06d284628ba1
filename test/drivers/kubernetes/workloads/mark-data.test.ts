import { expect, test } from 'vitest'
import { acquireLease } from '../../../../src/drivers/kubernetes/record/plane-lease.ts'
import { markData } from '../../../../src/drivers/kubernetes/workloads/mark-data.ts'
import { rejectionOf } from '../../../support/thrown-by.ts'
import { FakeCluster } from '../fake-cluster.ts'

const PLACE = { name: 'dev', namespace: 'team-a' }

test('tells etcd once that it has data: an empty volume is a loss from then on', async () => {
  const { cluster, mark } = await madePlane()
  const before = configurationOf(cluster)

  await mark()
  const writes = cluster.api.writes.length
  await mark()

  expect(before).toContain('\\"initial-cluster-state\\": \\"new\\"')
  expect(configurationOf(cluster)).toContain('\\"initial-cluster-state\\": \\"existing\\"')
  expect(cluster.recordOf('dev')).toMatchObject({ hasData: true })
  // A Lease comes and goes.
  expect(cluster.api.writes).toHaveLength(writes + 2)
})

test('changes nothing else', async () => {
  const { cluster, mark } = await madePlane()
  const versions = () =>
    [...cluster.api.objects]
      .filter(([path]) => !/configmaps\/vplane-dev-etcd|vplane-dev-record/.test(path))
      .map(([path, { metadata }]) => `${path} ${metadata.resourceVersion}`)
  const before = versions()

  await mark()

  expect(versions()).toEqual(before)
})

test('does nothing while another vplane works on the plane', async () => {
  const { cluster, mark } = await madePlane()
  const { signal } = cluster.operation()
  await using _held = await acquireLease(cluster.api, { ...PLACE, signal, now: () => cluster.time })

  await mark()

  expect(cluster.recordOf('dev')).toMatchObject({ hasData: false })
})

test('does nothing to a new plane of the same name', async () => {
  const { cluster, mark } = await madePlane()

  const error = await rejectionOf(mark('another'))

  expect(error.code).toBe('CONTROL_PLANE_NOT_FOUND')
  expect(cluster.recordOf('dev')).toMatchObject({ hasData: false })
  expect(cluster.remains()).not.toContain('leases/vplane-dev-lock')
})

async function madePlane() {
  const cluster = new FakeCluster()
  const { signal } = cluster.operation()
  const { record } = await cluster.create('dev')
  const mark = (id = record.id) =>
    markData(cluster.api, { place: PLACE, id, now: () => cluster.time }, signal)
  return { cluster, mark }
}

function configurationOf({ api }: FakeCluster): string {
  return JSON.stringify(api.objects.get('/api/v1/namespaces/team-a/configmaps/vplane-dev-etcd'))
}
