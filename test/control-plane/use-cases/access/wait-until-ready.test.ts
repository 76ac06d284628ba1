import { expect, test } from 'vitest'
import {
  type ReadyOptions,
  waitUntilReady,
} from '../../../../src/control-plane/use-cases/access/wait-until-ready.ts'
import { COMPONENT_NAMES } from '../../../../src/control-plane/plane/plane.ts'
import { VplaneError } from '../../../../src/shared/errors.ts'
import { waitFor } from '../../../../src/shared/wait.ts'
import type { FakePlaneApi } from '../../../support/api/fake-plane-api.ts'
import { HOSTED, worldWithPlane } from '../../../support/driver/world-with-plane.ts'
import { rejectionOf } from '../../../support/thrown-by.ts'

const NEVER = new AbortController().signal
const DEFAULT = '/api/v1/namespaces/default'
const ROOT_CA = `${DEFAULT}/configmaps/kube-root-ca.crt`

/** A plane whose components run, and whose API is as `prepare` leaves it. */
async function setting(
  prepare: (api: FakePlaneApi) => unknown = () => {},
  options: Parameters<typeof worldWithPlane>[0] = {},
) {
  const { api, driver, inside, plane, world } = await worldWithPlane(options)
  prepare(api)
  const usual = { driver, plane, api, timeoutMs: 5000, signal: NEVER, ui: world.ui }
  const wait = (said: Partial<ReadyOptions> = {}) => waitUntilReady({ ...usual, ...said })
  return { api, inside, wait, world }
}

/** The same for a plane that runs pods. */
function syncedSetting() {
  return setting(undefined, { ...HOSTED, spec: { sync: { serviceRange: '10.96.0.0/16' } } })
}

/** Returns when something was called so often. */
async function called({ calls }: { calls: string[] }, call: string, times = 1): Promise<void> {
  const isCalled = async () => calls.filter((one) => one.startsWith(call)).length >= times
  await waitFor(isCalled, { what: call, timeoutMs: 3000, intervalMs: 1 })
}

test('checks the API, then the objects of controllers, then admission', async () => {
  const { api, wait } = await setting()

  await wait()

  expect(api.calls).toEqual([
    'text /readyz',
    'watch /api/v1/namespaces/default/serviceaccounts?fieldSelector=metadata.name=default',
    'watch /api/v1/namespaces/default/configmaps?fieldSelector=metadata.name=kube-root-ca.crt',
    'create /api/v1/namespaces/default/configmaps',
  ])
  expect(api.watches).toBe(0)
  expect([...api.objects.keys()]).toHaveLength(2)
})

test('lets the syncer of a plane that runs pods do its work, and waits for it', async () => {
  const { inside, wait, world } = await syncedSetting()
  inside.isSyncerReady = false

  const waiting = wait()
  await called(inside.api, 'apply /apis/rbac.authorization.k8s.io/v1/clusterroles/vplane:syncer')
  await called(world.driver, 'isRunning dev')
  inside.isSyncerReady = true
  await waiting

  expect(world.ui.steps.at(-1)).toBe('Waiting for its syncer')
})

test('asks again after its syncer when the host gave no answer in time', async () => {
  const { wait, world } = await syncedSetting()
  const { driver } = world
  const isRunning = driver.isRunning.bind(driver)
  let asked = 0
  driver.isRunning = async (...args) => {
    asked += 1
    if (asked === 1) {
      throw new VplaneError('TIMED_OUT', 'no answer from the host cluster within 30 s')
    }
    return isRunning(...args)
  }

  await wait()

  expect(asked).toBe(2)
})

test('gives the syncer its rights as soon as the API answers, ready or not', async () => {
  const { inside, wait } = await syncedSetting()
  inside.api.readyz = { status: 500, body: '' }

  const waiting = wait()
  await called(inside.api, 'apply /apis/rbac.authorization.k8s.io/v1/clusterroles/vplane:syncer')
  const isReady = inside.api.calls.some((call) => call.startsWith('watch'))
  inside.api.readyz = { status: 200, body: 'ok' }
  await waiting

  expect(isReady).toBe(false)
})

test('reports at the deadline that the syncer was missing, with what delays it', async () => {
  const { inside, wait } = await syncedSetting()
  inside.isSyncerReady = false

  const early = await rejectionOf(wait({ timeoutMs: 100 }))
  inside.obstacle = 'syncer: no node accepts it'
  const late = await rejectionOf(wait({ timeoutMs: 100 }))

  expect(early.message).toMatch(/the syncer of "dev" after .*: it is not ready yet$/)
  expect(late.message).toMatch(/: no node accepts it$/)
})

test('gives the syncer its rights and does not wait for it where only the API is to be used', async () => {
  const { inside, wait } = await syncedSetting()
  inside.isSyncerReady = false

  await wait({ components: COMPONENT_NAMES })

  expect(inside.api.calls.filter((call) => call.startsWith('apply'))).toHaveLength(7)
})

test('waits for an API that does not answer yet, and is not ready at first', async () => {
  const { api, wait } = await setting((api) => {
    api.isUp = false
    api.readyz = { status: 500, body: '' }
  })

  const waiting = wait()
  api.isUp = true
  await called(api, 'text /readyz', 2)
  expect(api.calls.some((call) => call.startsWith('watch'))).toBe(false)
  api.readyz = { status: 200, body: 'ok' }

  await expect(waiting).resolves.toBeUndefined()
})

test.for(['makeServiceAccount', 'makeRootCa'] as const)('is not done before %s', async (last) => {
  const first = last === 'makeRootCa' ? 'makeServiceAccount' : 'makeRootCa'
  const { api, wait } = await setting((api) => api.objects.clear())
  let isDone = false

  const waiting = wait().then(() => {
    isDone = true
    return isDone
  })
  await called(api, 'watch', 2)
  api[first]()
  await called(api, 'watch', 2)
  expect(isDone).toBe(false)
  expect(api.calls).not.toContain('create /api/v1/namespaces/default/configmaps')
  api[last]()

  expect(await waiting).toBe(true)
})

test.for<[string, (api: FakePlaneApi) => unknown, string]>([
  ['nothing answers', (api) => (api.isUp = false), 'the API of "dev" after 0.1 s: cannot reach'],
  [
    'a check of its own fails',
    (api) => (api.readyz = { status: 500, body: '[+]ping ok\n[-]etcd failed: reason withheld\n' }),
    'the API of "dev" after 0.1 s: [-]etcd failed: reason withheld',
  ],
  [
    'it answers something else',
    (api) => (api.readyz = { status: 403, body: 'Forbidden' }),
    'the API of "dev" after 0.1 s: it answers with status 403',
  ],
  [
    'nobody makes the ServiceAccount',
    (api) => api.objects.delete(`${DEFAULT}/serviceaccounts/default`),
    'the "default" ServiceAccount of "dev"',
  ],
  [
    'nobody makes the root CA',
    (api) => api.objects.delete(ROOT_CA),
    'the ConfigMap "kube-root-ca.crt" of "dev"',
  ],
])('gives up in time and reports what was missing when %s', async ([, prepare, missing]) => {
  const { api, wait } = await setting(prepare)

  const error = await rejectionOf(wait({ timeoutMs: 100 }))

  expect(error).toMatchObject({ code: 'TIMED_OUT', exitCode: 6 })
  expect(error.message).toContain(`gave up waiting for ${missing}`)
  expect(error.hints).toEqual(['vplane describe dev', 'vplane logs dev kube-apiserver'])
  expect(api.watches).toBe(0)
})

test.for<[string, (api: FakePlaneApi) => unknown]>([
  ['before its API answers', (api) => (api.isUp = false)],
  ['before controllers have done their work', (api) => api.objects.clear()],
])('reports a component that ends %s at once', async ([, prepare]) => {
  const { api, inside, wait } = await setting(prepare)
  const startedAt = performance.now()

  const waiting = rejectionOf(wait({ timeoutMs: 60_000 }))
  inside.crash('kube-controller-manager')
  const error = await waiting

  expect(error).toMatchObject({ code: 'COMPONENT_FAILED', exitCode: 7 })
  expect(error.message).toContain('panic: kube-controller-manager has crashed')
  expect(performance.now() - startedAt).toBeLessThan(2000)
  expect(api.watches).toBe(0)
})

test('reports what delays a component, while it waits and when it gives up', async () => {
  const { inside, wait, world } = await setting((api) => (api.isUp = false))
  inside.obstacle = 'etcd: the node has no room yet'

  const error = await rejectionOf(wait({ timeoutMs: 100 }))

  expect(error.message).toBe(
    'gave up waiting for the API of "dev" after 0.1 s: etcd: the node has no room yet',
  )
  expect(world.ui.details).toEqual(['etcd: the node has no room yet'])
})

test('a deletion event does not count as existence', async () => {
  const { api, wait } = await setting((api) => api.objects.delete(ROOT_CA))

  const waiting = rejectionOf(wait({ timeoutMs: 150 }))
  await called(api, 'watch', 2)
  api.objects.set(ROOT_CA, { apiVersion: 'v1', kind: 'ConfigMap', metadata: {} })
  await api.delete(ROOT_CA)

  expect((await waiting).message).toContain('the ConfigMap "kube-root-ca.crt"')
})

test('ends with the failure of a watch, and not with the process', async () => {
  const { wait } = await setting((api) => {
    api.watchFailure = new VplaneError('FAILED', 'no watches today')
  })

  const error = await rejectionOf(wait({ timeoutMs: 60_000 }))

  expect(error.message).toBe('no watches today')
})

test.for([
  new VplaneError('UNREACHABLE', 'the connection broke'),
  new VplaneError('TIMED_OUT', 'no answer'),
  new VplaneError('FAILED', 'configmaps is forbidden: not yet ready to handle request'),
])('tries again to have an object admitted after "$message"', async (refusal) => {
  const { api, wait } = await setting((api) => api.refusals.push(refusal, refusal))

  await wait()

  expect(api.calls.filter((call) => call.startsWith('create'))).toHaveLength(3)
})

test.for([
  'failed calling webhook "deny.example.com": connection refused',
  'admission webhook "deny.example.com" denied the request: no',
  `ValidatingAdmissionPolicy 'deny' with binding 'deny' denied request: no`,
  'configmaps "vplane-ready-x" is forbidden: exceeded quota: none',
])('takes a plane for ready whose user has it answer: %s', async (message) => {
  const refusal = new VplaneError('FAILED', message)
  const { api, wait } = await setting((api) => api.refusals.push(refusal))

  await wait()

  expect(api.calls.filter((call) => call.startsWith('create'))).toHaveLength(1)
})

test('ends with any other refusal of an object', async () => {
  const refusal = new VplaneError('FAILED', 'Unauthorized')
  const { wait } = await setting((api) => api.refusals.push(refusal))

  expect(await rejectionOf(wait())).toMatchObject({ message: 'Unauthorized' })
})

test.for<[string, (api: FakePlaneApi) => unknown]>([
  ['the API', (api) => (api.isUp = false)],
  ['controllers', (api) => api.objects.clear()],
])('stops waiting for %s when it is interrupted', async ([, prepare]) => {
  const { api, wait } = await setting(prepare)
  const interrupt = new AbortController()

  const waiting = rejectionOf(wait({ signal: interrupt.signal }))
  interrupt.abort()

  expect(await waiting).toMatchObject({ code: 'ABORTED', exitCode: 130 })
  expect(api.watches).toBe(0)
})
