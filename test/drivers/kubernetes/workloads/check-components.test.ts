import { expect, test } from 'vitest'
import {
  type AnyComponentName,
  COMPONENT_NAMES,
  componentsOf,
} from '../../../../src/control-plane/plane/plane.ts'
import { checkComponents } from '../../../../src/drivers/kubernetes/workloads/check-components.ts'
import { createPlane } from '../../../../src/drivers/kubernetes/lifecycle/create-plane.ts'
import type { ComponentProblem } from '../../../../src/drivers/kubernetes/context/problem.ts'
import { VplaneError } from '../../../../src/shared/errors.ts'
import { rejectionOf } from '../../../support/thrown-by.ts'
import { FakeCluster, requestFor } from '../fake-cluster.ts'

const PLACE = { name: 'dev', namespace: 'team-a' }
const PULL: ComponentProblem = {
  component: 'kube-apiserver',
  object: 'Pod "vplane-dev-kube-apiserver-0"',
  state: 'ImagePullBackOff',
  reason: 'its image cannot be had',
  hints: ['set images.registry'],
  final: true,
}

test('returns while all components are well, without asking why they would not be', async () => {
  const { check } = await madePlane()

  await expect(
    check({ diagnose: () => Promise.reject(new Error('asked')) }),
  ).resolves.toBeUndefined()
})

test('notes by the way that etcd has stored something', async () => {
  const { check, cluster } = await madePlane()

  await check()

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

  expect(await check({ diagnose: () => Promise.resolve([{ ...PULL, final: false }]) })).toBe(
    'kube-apiserver: its image cannot be had',
  )
  expect(await check()).toBeUndefined()
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
  await expect(check({ diagnose: () => Promise.reject(new Error('broken')) })).rejects.toThrow(
    'broken',
  )
})

test('takes no notice of the problem of a component that another pod serves for', async () => {
  const { check, cluster } = await madePlane()
  cluster.api.remove('/api/v1/namespaces/team-a/pods/vplane-dev-etcd-0')

  expect(await check({ diagnose: () => Promise.resolve([PULL]) })).toBeUndefined()
})

test('fails when somebody took a component away', async () => {
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
  const { record } = await cluster.store('dev', { desired: 'kept' })
  const options = { place: PLACE, id: record.id, components: COMPONENT_NAMES }

  const checked = checkComponents(cluster.driverContext(), cluster, {
    ...options,
    ...cluster.operation(),
  })

  await expect(checked).rejects.toMatchObject({ code: 'CONTROL_PLANE_NOT_FOUND' })
})

test('says why the record cannot be read', async () => {
  const { check, cluster } = await madePlane()
  const path = '/api/v1/namespaces/team-a/secrets/vplane-dev-record'
  await cluster.api.patch(path, { data: { record: '' } }, { type: 'merge' })

  expect((await rejectionOf(check())).message).toContain('is damaged')
})

test('looks at what only some planes have where it is told to', async () => {
  const cluster = new FakeCluster()
  const { record } = await cluster.storeSynced('dev')
  cluster.api.remove('/api/v1/namespaces/team-a/pods/vplane-dev-syncer-0')
  const crash: ComponentProblem = {
    component: 'syncer',
    object: 'Pod "vplane-dev-syncer-0"',
    state: 'CrashLoopBackOff',
    reason: 'syncer has ended with exit code 1: VPLANE_PLANE is not set',
    hints: [{ action: 'logs', plane: { name: 'dev' }, what: 'syncer' }],
    log: ['VPLANE_PLANE is not set'],
    final: true,
  }
  const check = (components: readonly AnyComponentName[]) =>
    checkComponents(cluster.driverContext({ diagnose: () => Promise.resolve([crash]) }), cluster, {
      place: PLACE,
      id: record.id,
      components,
      ...cluster.operation(),
    })

  expect(await check(COMPONENT_NAMES)).toBeUndefined()
  expect(await rejectionOf(check(componentsOf(record.spec)))).toMatchObject({
    code: 'COMPONENT_FAILED',
    message: expect.stringMatching(/^syncer of "dev" cannot run: .*its last lines:/s),
    hints: ['vplane logs dev syncer'],
  })
})

async function madePlane({ arePodsReady = true } = {}) {
  const cluster = new FakeCluster()
  cluster.arePodsReady = arePodsReady
  const made = await createPlane(cluster.driverContext(), requestFor('dev'), cluster.operation())
  return {
    cluster,
    check: ({
      diagnose = () => Promise.resolve([]),
      id = made.record.id,
      signal = cluster.operation().signal,
    }: { diagnose?: () => Promise<ComponentProblem[]>; id?: string; signal?: AbortSignal } = {}) =>
      checkComponents({ ...cluster.driverContext(), diagnose }, cluster, {
        place: PLACE,
        id,
        components: COMPONENT_NAMES,
        signal,
      }),
  }
}
