import { expect, test } from 'vitest'
import { COMPONENT_NAMES, componentsOf } from '../../../../src/control-plane/plane/plane.ts'
import { checkComponents } from '../../../../src/drivers/kubernetes/workloads/check-components.ts'
import type { ComponentProblem } from '../../../../src/drivers/kubernetes/context/problem.ts'
import type { ReadableRecord } from '../../../../src/drivers/kubernetes/record/record-store.ts'
import { VplaneError } from '../../../../src/shared/errors.ts'
import { rejectionOf } from '../../../support/thrown-by.ts'
import { FakeCluster } from '../fake-cluster.ts'
import { problemOf } from '../problem-of.ts'

const PLACE = { name: 'dev', namespace: 'team-a' }
const PULL = problemOf('kube-apiserver', { hints: ['set images.registry'] })

test('asks nothing while all components are well, and notes that etcd has stored something', async () => {
  const { check, cluster } = await madePlane()
  const diagnose = () => Promise.reject(new Error('asked'))

  await expect(check({ diagnose })).resolves.toBeUndefined()
  expect(cluster.recordOf('dev')).toMatchObject({ hasData: true })
})

test('fails as soon as a component can never run, with the reason and what to do', async () => {
  const { check } = await madePlane({ arePodsReady: false })

  const error = await rejectionOf(check({ diagnose: () => Promise.resolve([PULL]) }))

  expect(error).toMatchObject({
    code: 'COMPONENT_FAILED',
    message: 'kube-apiserver of "dev" cannot run: its image cannot be had',
    hints: ['set images.registry'],
  })
})

test('says what holds it up that passes by itself, and waits for components that are on their way', async () => {
  const { check } = await madePlane({ arePodsReady: false })

  const held = await check({ diagnose: () => Promise.resolve([{ ...PULL, final: false }]) })

  expect(held).toBe('kube-apiserver: its image cannot be had')
  expect(await check()).toBeUndefined()
})

test('replaces a pod whose start is delayed, and takes no harm when it may not', async () => {
  const { check, cluster } = await madePlane({ arePodsReady: false })
  const name = 'vplane-dev-kube-controller-manager-0'
  const path = `/api/v1/namespaces/team-a/pods/${name}`
  const problem = (uid: string) =>
    problemOf('kube-controller-manager', { final: false, delayed: { name, uid } })
  const uid = cluster.api.objects.get(path)?.metadata.uid ?? ''

  await check({ diagnose: () => Promise.resolve([problem('another')]) })
  expect(cluster.api.objects.has(path)).toBe(true)
  await check({ diagnose: () => Promise.resolve([problem(uid)]) })
  expect(cluster.api.objects.has(path)).toBe(false)
})

test.for([
  new DOMException('The operation was aborted due to timeout', 'TimeoutError'),
  new VplaneError('TIMED_OUT', 'no answer from the host cluster within 30 s'),
])('does not take a host that answers too late for a fault: %s', async (reason) => {
  const { check } = await madePlane({ arePodsReady: false })
  const limit = new AbortController()
  const diagnose = () => {
    limit.abort(reason)
    return Promise.reject(limit.signal.reason)
  }

  expect(await check({ diagnose, signal: limit.signal })).toBe(
    'the host cluster does not answer in time',
  )
  const broken = check({ diagnose: () => Promise.reject(new Error('broken')) })
  await expect(broken).rejects.toThrow('broken')
})

test('takes no notice of the problem of a component that another pod serves for', async () => {
  const { check, cluster } = await madePlane()
  cluster.api.remove('/api/v1/namespaces/team-a/pods/vplane-dev-etcd-0')

  expect(await check({ diagnose: () => Promise.resolve([PULL]) })).toBeUndefined()
})

test('fails when someone took a component away', async () => {
  const { check, cluster } = await madePlane()
  const path = '/apis/apps/v1/namespaces/team-a/deployments/vplane-dev-kube-controller-manager'
  await cluster.api.patch(path, { spec: { replicas: 0 } }, { type: 'merge' })

  const scaled = await rejectionOf(check())
  cluster.api.remove(path)
  const gone = await rejectionOf(check())

  expect(scaled).toMatchObject({
    code: 'COMPONENT_FAILED',
    message: 'kube-controller-manager of "dev" has ended: someone scaled it to 0',
    hints: ['vplane resume dev'],
  })
  expect(gone.message).toContain('has ended: its workload is missing')
})

test('fails when the plane is gone, or another one', async () => {
  const { check, cluster } = await madePlane()

  const other = await rejectionOf(check({ id: 'another' }))
  cluster.api.remove('/api/v1/namespaces/team-a/secrets/vplane-dev-record')
  const gone = await rejectionOf(check())

  expect([other.code, gone.code]).toEqual(['CONTROL_PLANE_NOT_FOUND', 'CONTROL_PLANE_NOT_FOUND'])
})

test('treats a plane of which only the data is kept as deleted', async () => {
  const cluster = new FakeCluster()
  const check = checker(cluster, await cluster.store('dev', { desired: 'kept' }))

  await expect(check()).rejects.toMatchObject({ code: 'CONTROL_PLANE_NOT_FOUND' })
})

test('says why the record cannot be read', async () => {
  const { check, cluster } = await madePlane()
  await cluster.damageRecord('dev')

  expect((await rejectionOf(check())).message).toContain('is damaged')
})

test('looks at what only some planes have where it is told to', async () => {
  const cluster = new FakeCluster()
  const stored = await cluster.storeSynced('dev')
  cluster.api.remove('/api/v1/namespaces/team-a/pods/vplane-dev-syncer-0')
  const crash = problemOf('syncer', {
    hints: [{ action: 'logs', plane: { name: 'dev' }, what: 'syncer' }],
    log: ['VPLANE_PLANE is not set'],
  })
  const check = checker(cluster, stored)
  const diagnose = () => Promise.resolve([crash])
  const components = componentsOf(stored.record.spec)

  expect(await check({ diagnose })).toBeUndefined()
  expect(await rejectionOf(check({ diagnose, components }))).toMatchObject({
    code: 'COMPONENT_FAILED',
    message: expect.stringMatching(/^syncer of "dev" cannot run: .*its last lines:/s),
    hints: ['vplane logs dev syncer'],
  })
})

async function madePlane({ arePodsReady = true } = {}) {
  const cluster = new FakeCluster()
  cluster.arePodsReady = arePodsReady
  return { cluster, check: checker(cluster, await cluster.create('dev')) }
}

interface CheckOptions extends Partial<Parameters<typeof checkComponents>[2]> {
  diagnose?: () => Promise<ComponentProblem[]>
}

function checker(cluster: FakeCluster, { record: { id } }: ReadableRecord) {
  const { signal } = cluster.operation()
  const known = { place: PLACE, id, components: COMPONENT_NAMES, signal }
  return ({ diagnose = () => Promise.resolve([]), ...options }: CheckOptions = {}) =>
    checkComponents(cluster.driverContext({ diagnose }), cluster, { ...known, ...options })
}
