import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { resolveSpec } from '../../../../src/control-plane/spec/resolve-spec.ts'
import { startPlane } from '../../../../src/drivers/kubernetes/lifecycle/start-plane.ts'
import { temporaryFolder } from '../../../support/machine/temporary-folder.ts'
import { rejectionOf } from '../../../support/thrown-by.ts'
import { EPHEMERAL, FakeCluster } from '../fake-cluster.ts'

const CORE = '/api/v1/namespaces/team-a'
const APPS = '/apis/apps/v1/namespaces/team-a'
const API_SERVER = `${APPS}/deployments/vplane-dev-kube-apiserver`

test('leaves a plane that runs alone, without holding it', async () => {
  const { cluster, stored } = await madePlane()
  const before = cluster.api.writes.length

  expect(await startPlane(cluster.driverContext(), stored, cluster.operation())).toBe(stored)

  expect(cluster.api.writes).toHaveLength(before)
})

test('records that a paused plane is to run, and gives its workloads their pods', async () => {
  const { cluster } = await madePlane()
  await scale(cluster, 0)
  const stored = await cluster.changeRecord('dev', { desired: 'paused' })

  const { record } = await startPlane(cluster.driverContext(), stored, cluster.operation())

  expect(record.desired).toBe('running')
  expect(record).not.toHaveProperty('journal')
  expect(cluster.pods()).toHaveLength(3)
  expect(cluster.remains()).not.toContain('leases/vplane-dev-lock')
})

test('creates again what was deleted, with the same keys, and does not change the rest', async () => {
  const { cluster, stored } = await madePlane()
  const whole = cluster.remains()
  const service = () => cluster.api.objects.get(`${CORE}/services/vplane-dev-etcd`)
  const before = service()?.metadata.resourceVersion
  cluster.api.remove(API_SERVER)
  cluster.api.remove(`${CORE}/pods/vplane-dev-kube-apiserver-0`)
  cluster.api.remove(`${CORE}/configmaps/vplane-dev-kube-apiserver`)

  await startPlane(cluster.driverContext(), stored, cluster.operation())

  expect(cluster.remains()).toEqual(whole)
  expect(service()?.metadata.resourceVersion).toBe(before)
})

test('puts back what is of the templates of its user, wherever these are now', async () => {
  await using folder = await temporaryFolder()
  const text = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: vplane-dev-mine}\ndata: {a: b}\n'
  await writeFile(join(folder.path, 'mine.yaml'), text)
  const cluster = new FakeCluster()
  const stored = await cluster.create('dev', { host: { templates: folder.path } })
  await rm(folder.path, { recursive: true })
  const path = `${CORE}/configmaps/vplane-dev-mine`
  cluster.api.remove(API_SERVER)
  cluster.api.remove(path)

  await startPlane(cluster.driverContext(), stored, cluster.operation())

  expect(cluster.api.objects.get(path)).toMatchObject({ data: { a: 'b' } })
})

test('continues an interrupted creation', async () => {
  const cluster = new FakeCluster()
  const stored = await cluster.store('dev', { hasKeys: false, isComplete: false, hasData: false })

  const { record } = await startPlane(cluster.driverContext(), stored, cluster.operation())

  expect(record.isComplete).toBe(true)
  expect(cluster.remains()).toContain('statefulsets/vplane-dev-etcd')
})

test('continues an interrupted change, though all components run', async () => {
  const { cluster, stored } = await madePlane()
  const { userSpec } = stored.record
  const spec = resolveSpec({ ...userSpec, apiServer: { extraArgs: { v: '4' } } }, 'kubernetes')
  const half = await cluster.changeRecord('dev', { spec, previousSpec: stored.record.spec })

  const { record } = await startPlane(cluster.driverContext(), half, cluster.operation())

  expect(record.previousSpec).toBeUndefined()
  expect(record).not.toHaveProperty('journal')
  const deployment = cluster.api.objects.get(API_SERVER)
  expect(JSON.stringify(deployment?.['spec'])).toContain('"--v=4"')
})

test('makes no new keys for a plane whose keys are gone', async () => {
  const { cluster, stored } = await madePlane()
  await scale(cluster, 0)
  cluster.api.remove(`${CORE}/secrets/vplane-dev-ca`)

  const error = await rejectionOf(startPlane(cluster.driverContext(), stored, cluster.operation()))

  expect(error).toMatchObject({ code: 'FAILED', message: expect.stringContaining('are missing') })
})

test('renews certificates in their last 90 days when it starts a plane', async () => {
  const { cluster } = await madePlane()
  await scale(cluster, 0)
  cluster.time = new Date('2027-04-01T00:00:00Z')
  const secret = () => JSON.stringify(cluster.api.objects.get(`${CORE}/secrets/vplane-dev-etcd`))
  const before = secret()
  const stored = await cluster.stored('dev')

  const { record } = await startPlane(cluster.driverContext(), stored, cluster.operation())

  expect(record.certificatesExpireAt?.slice(0, 7)).toBe('2028-03')
  expect(secret()).not.toBe(before)
})

test('does not start a plane that was deleted, or created again, since it was found', async () => {
  const { cluster, stored } = await madePlane()
  await scale(cluster, 0)
  const start = () => startPlane(cluster.driverContext(), stored, cluster.operation())
  cluster.api.remove(`${CORE}/secrets/vplane-dev-record`)

  const gone = await rejectionOf(start())
  await cluster.store('dev', { id: 'another' })
  const other = await rejectionOf(start())

  expect([gone.code, other.code]).toEqual(['CONTROL_PLANE_NOT_FOUND', 'CONTROL_PLANE_NOT_FOUND'])
  expect(cluster.remains()).not.toContain('leases/vplane-dev-lock')
})

test('does not start a plane that is half deleted', async () => {
  const { cluster } = await madePlane()
  await scale(cluster, 0)
  const at = cluster.time.toISOString()
  const entry = { operation: 'remove', step: 'removing all of it', at, holder: 'gone' } as const
  const stored = await cluster.changeRecord('dev', { journal: entry })

  const error = await rejectionOf(startPlane(cluster.driverContext(), stored, cluster.operation()))

  expect(error).toMatchObject({
    code: 'FAILED',
    message: '"dev" is half deleted',
    hints: ['to continue: vplane delete dev --namespace team-a'],
  })
})

async function madePlane() {
  const cluster = new FakeCluster()
  return { cluster, stored: await cluster.create('dev', { userSpec: EPHEMERAL }) }
}

/** Scales every workload, as another client might. */
async function scale(cluster: FakeCluster, replicas: number): Promise<void> {
  for (const path of [...cluster.api.objects.keys()].filter((one) => one.startsWith(APPS))) {
    await cluster.api.patch(path, { spec: { replicas } }, { type: 'merge' })
  }
}
