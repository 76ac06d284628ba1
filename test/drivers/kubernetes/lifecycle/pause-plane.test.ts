import { expect, test } from 'vitest'
import type { UserSpec } from '../../../../src/control-plane/spec/spec.ts'
import { leadToGateway } from '../../../../src/drivers/kubernetes/gateway/endpoint-switch.ts'
import { pausePlane } from '../../../../src/drivers/kubernetes/lifecycle/pause-plane.ts'
import type { PlaneRecord } from '../../../../src/drivers/kubernetes/record/plane-record.ts'
import type { ReadableRecord } from '../../../../src/drivers/kubernetes/record/record-store.ts'
import {
  KEEPER_LABELS,
  KEPT_LABEL,
  objectLabels,
  objectName,
} from '../../../../src/manifests/object-names.ts'
import { rejectionOf } from '../../../support/thrown-by.ts'
import { EPHEMERAL, FakeCluster, putObject } from '../fake-cluster.ts'

const SINCE = '2026-06-01T12:00:00.000Z'
const CHANGE = { operation: 'change', step: 'replacing etcd', at: SINCE, holder: 'me' } as const
const idle = { since: new Date(SINCE), isStill: () => Promise.resolve(true) }

test('records that a plane is paused, and deletes its pods, the last to start first', async () => {
  const { cluster, pause, scaled } = await madePlane()

  await pause()

  const inOrder = ['kube-controller-manager', 'kube-apiserver', 'etcd']
  expect(scaled()).toEqual(inOrder)
  expect(cluster.recordOf('dev')).toMatchObject({ desired: 'paused' })
  expect(cluster.recordOf('dev')).not.toHaveProperty('journal')
  expect(cluster.remains().filter((path) => /^(pods|leases)\//.test(path))).toEqual([])
  expect(cluster.ui.steps.slice(-3)).toEqual(inOrder.map((name) => `Stopping ${name}`))
})

test('keeps everything else, also a second time', async () => {
  const { cluster, pause } = await madePlane()
  const kept = cluster.remains().filter((path) => !path.startsWith('pods/'))

  await pause()
  await pause()

  expect(cluster.remains()).toEqual(kept)
})

test('records that a sleeping plane is paused before its clients are refused', async () => {
  let isLost = false
  const cluster = new FakeCluster({
    onRequest: ({ path, verb }) => {
      if (isLost && verb === 'patch' && path.endsWith('/services/vplane-dev-api')) {
        throw new Error('the connection was lost')
      }
    },
  })
  const userSpec = { idle: '1m', wake: { by: 'any' } } as const
  const stored = await cluster.storeSynced('dev', { userSpec, desired: 'paused', idleSince: SINCE })
  putObject(cluster.api, ['Service', { name: objectName('dev', 'api') }], {
    spec: { selector: { a: 'b' }, ports: [{ name: 'https', port: 443, targetPort: 'https' }] },
  })
  await leadToGateway(cluster.api, stored, { port: 20_000, ...cluster.operation() })
  const pause = () => pausePlane(cluster.driverContext(), stored, cluster.operation())

  isLost = true
  await expect(pause()).rejects.toThrow('the connection was lost')
  const interrupted = cluster.recordOf('dev')
  isLost = false
  await pause()

  expect(interrupted).toMatchObject({ desired: 'paused', journal: { operation: 'pause' } })
  expect(interrupted).not.toHaveProperty('idleSince')
  expect(cluster.recordOf('dev')).not.toHaveProperty('journal')
})

test('keeps etcd of an ephemeral plane running, and notes that', async () => {
  const { cluster, pause } = await madePlane(EPHEMERAL)

  await pause()

  expect(cluster.pods()).toEqual(['vplane-dev-etcd-0'])
  expect(cluster.ui.notes).toEqual([
    'etcd of "dev" continues to run: it has the data of an ephemeral plane in memory.',
  ])
})

test('skips a workload that was deleted', async () => {
  const { cluster, pause } = await madePlane()
  cluster.api.remove('/apis/apps/v1/namespaces/team-a/deployments/vplane-dev-kube-apiserver')
  cluster.api.remove('/api/v1/namespaces/team-a/pods/vplane-dev-kube-apiserver-0')

  await pause()

  expect(cluster.pods()).toEqual([])
})

test('waits for slow pods', async () => {
  const { cluster, pause } = await madePlane()
  const labels = objectLabels('dev', 'kube-apiserver')
  const path = putObject(cluster.api, ['Pod', { name: 'slow', labels }])
  const isWaiting = () => cluster.ui.steps.at(-1) === 'Stopping kube-apiserver'

  const pausing = pause()
  await cluster.until(isWaiting)
  await cluster.until(() => cluster.api.requests.at(-1)?.startsWith('list ') === true)
  const wasWaiting = isWaiting()
  cluster.api.remove(path)
  await pausing

  expect(wasWaiting).toBe(true)
})

test('names the component that does not end in time', async () => {
  const { cluster, pause } = await madePlane()
  putObject(cluster.api, ['Pod', { name: 'stuck', labels: objectLabels('dev', 'etcd') }])

  expect(await rejectionOf(pause({ timeoutMs: 50 }))).toMatchObject({
    code: 'TIMED_OUT',
    message: expect.stringContaining('waiting for the end of etcd of "dev"'),
  })
  expect(cluster.recordOf('dev')).toMatchObject({
    desired: 'paused',
    journal: { operation: 'pause', step: 'stopping etcd' },
  })
})

test('stops the syncer first, and then the pods that the plane runs, before the rest', async () => {
  const { cluster, pause } = await syncedPlane()
  cluster.putSynced('dev', ['pods', 'web'])
  cluster.putSynced('prod', ['pods', 'of-another-plane'])
  cluster.putSynced('dev', ['pods', 'only-labelled'], { annotations: {} })

  await pause()

  expect(cluster.ui.steps.slice(0, 3)).toEqual([
    'Stopping syncer',
    'Stopping its pods',
    'Stopping kube-controller-manager',
  ])
  expect(cluster.pods()).toEqual(['of-another-plane', 'only-labelled'])
})

test('waits for the grace period of pods, and reports when it is not enough', async () => {
  const { cluster, pause } = await syncedPlane()
  const spec = { terminationGracePeriodSeconds: 0.05 }
  cluster.putSynced('dev', ['pods', 'stuck'], { finalizers: ['example.com/hold'], spec })

  expect(await rejectionOf(pause({ timeoutMs: 50 }))).toMatchObject({
    code: 'TIMED_OUT',
    message: expect.stringContaining('waiting for the end of the pods of "dev" after 0.1 s'),
  })
})

test.for([{ because: idle }, { because: undefined }])(
  'lets the keeper of the namespace go last, and ends it without waiting: $because',
  async ({ because }) => {
    const { cluster, pause, scaled } = await syncedPlane({ userSpec: { idle: '30m' } })
    putObject(cluster.api, ['Pod', { name: 'the-keeper', labels: { ...KEEPER_LABELS } }])
    const settings = putSettings(cluster, 'dev')

    await pause(because === undefined ? {} : { idle: because })

    const inOrder = ['kube-controller-manager', 'kube-apiserver', 'etcd', 'keeper-settings']
    expect(scaled().slice(0, 4)).toEqual(inOrder)
    expect(scaled()[4]).toContain('deployments/vplane-keeper')
    expect(cluster.api.objects.get(settings)).toMatchObject(NOT_KEPT)
    expect(cluster.pods()).toContain('the-keeper')
    expect(cluster.recordOf('dev')).toMatchObject({ desired: 'paused' })
    expect(cluster.recordOf('dev')).not.toHaveProperty('journal')
  },
)

test('leaves the keeper of the namespace to another plane that needs it', async () => {
  const { cluster, pause, scaled } = await syncedPlane({ userSpec: { idle: '30m' } })
  putSettings(cluster, 'dev')
  const other = putSettings(cluster, 'other')

  await pause({ idle })

  expect(scaled().at(-1)).toBe('keeper-settings')
  expect(cluster.api.objects.get(other)?.metadata.labels).toMatchObject({ [KEPT_LABEL]: 'true' })
})

test.for([
  ['was used meanwhile', {}, { ...idle, isStill: () => Promise.resolve(false) }],
  ['someone has paused', { desired: 'paused' }, idle],
  ['is not finished', { isComplete: false }, idle],
  ['has an unfinished operation', { journal: CHANGE }, idle],
  ['is half restored', { restoring: { former: 'x' } }, idle],
] as const)('pauses no idle plane that %s', async ([, fields, because]) => {
  const { cluster, pause } = await syncedPlane({ userSpec: {}, ...fields })
  const before = cluster.recordOf('dev')

  await pause({ idle: because })

  expect(cluster.recordOf('dev')).toEqual(before)
  expect(cluster.pods()).toHaveLength(3)
})

test('continues the pause of an idle plane', async () => {
  const fields = { userSpec: {}, desired: 'paused', idleSince: SINCE } as const
  const { cluster, pause } = await syncedPlane(fields)

  await pause({ idle })

  expect(cluster.pods()).toEqual([])
})

const NOT_KEPT = { metadata: { labels: { [KEPT_LABEL]: 'false' } } }

function putSettings(cluster: FakeCluster, plane: string): string {
  const labels = { ...objectLabels(plane), [KEPT_LABEL]: 'true' }
  return putObject(cluster.api, [
    'ConfigMap',
    { name: objectName(plane, 'keeper-settings'), labels },
  ])
}

async function syncedPlane(fields: Partial<PlaneRecord> = {}) {
  const cluster = new FakeCluster()
  return pausable(cluster, await cluster.storeSynced('dev', fields))
}

async function madePlane(userSpec: UserSpec = {}) {
  const cluster = new FakeCluster()
  return pausable(cluster, await cluster.create('dev', { userSpec }))
}

function pausable(cluster: FakeCluster, stored: ReadableRecord) {
  const before = cluster.api.writes.length
  return {
    cluster,
    pause: (fields: Partial<Parameters<typeof pausePlane>[2]> = {}) =>
      pausePlane(cluster.driverContext(), stored, { ...cluster.operation(), ...fields }),
    /** The components that were scaled, in order. */
    scaled: () =>
      cluster.api.writes
        .slice(before)
        .filter((write) => write.startsWith('patch'))
        .map((write) => write.replace(/.*vplane-dev-/, '')),
  }
}
