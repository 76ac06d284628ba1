import { expect, test } from 'vitest'
import type { KubeObject } from '../../../../src/shared/kube/kube-object.ts'
import {
  createControlPlane,
  type CreateOptions,
  planCreate,
} from '../../../../src/control-plane/use-cases/create/create-control-plane.ts'
import { resolveSpec } from '../../../../src/control-plane/spec/resolve-spec.ts'
import { VplaneError } from '../../../../src/shared/errors.ts'
import type { UserSpec } from '../../../../src/control-plane/spec/spec.ts'
import { crd, CRDS } from '../../../support/api/crd.ts'
import { FakeComposition } from '../../../support/driver/fake-composition.ts'
import { HOSTED, worldWithPlane } from '../../../support/driver/world-with-plane.ts'
import { rejectionOf } from '../../../support/thrown-by.ts'

const NEVER = new AbortController().signal

function create(world: FakeComposition, options: Partial<CreateOptions> = {}) {
  return createControlPlane(world, {
    name: 'dev',
    userSpec: {},
    driver: world.driver,
    wait: true,
    timeoutMs: 2000,
    signal: NEVER,
    ...options,
  })
}

test('makes a plane that can be used, and a way into it', async () => {
  const world = new FakeComposition()

  const { access, isNew, plane } = await create(world, { userSpec: { apiGroups: 'lean' } })

  expect(isNew).toBe(true)
  expect(plane).toMatchObject({ name: 'dev', driver: 'local', desired: 'running' })
  expect(plane.userSpec).toEqual({ apiGroups: 'lean' })
  expect(plane.spec).toEqual(resolveSpec({ apiGroups: 'lean' }))
  expect(access?.server).toBe(world.driver.inside(plane).server)
  expect(await world.accesses.read(plane)).toEqual(access)
  expect(world.driver.calls.at(-1)).toBe('settle dev')
  expect(world.ui.steps).toEqual([
    'Starting Kubernetes 1.36.3',
    'Waiting for the API',
    'Waiting for its first objects',
  ])
  expect(world.openClients).toBe(0)
})

test.for<[Partial<CreateOptions>, string]>([
  [{ name: 'Dev' }, 'INVALID_NAME'],
  [{ name: '' }, 'INVALID_NAME'],
  [{ name: 'a_b' }, 'INVALID_NAME'],
  [{ name: 'x'.repeat(41) }, 'INVALID_NAME'],
  [{ userSpec: { version: '1.1' } }, 'USAGE'],
  [{ userSpec: { apiServer: { extraArgs: { 'secure-port': '1' } } } }, 'INVALID_SPEC'],
  [{ userSpec: { etcd: { extraArgs: { 'snapshot-count': 'x' } } } }, 'INVALID_SPEC'],
])('refuses %j before anything is touched', async ([options, code]) => {
  const world = new FakeComposition()

  const error = await rejectionOf(create(world, options))

  expect(error.code).toBe(code)
  expect(world.driver.calls).toEqual([])
  expect(world.driver.planes.size).toBe(0)
})

test('succeeds for an existing plane of the same name and spec, and reports that it existed', async () => {
  const { plane: before, world } = await worldWithPlane({ spec: { etcd: { goGc: 20 } } })

  const { access, isNew, plane } = await create(world, { userSpec: { etcd: { goGc: 20 } } })

  expect(isNew).toBe(false)
  expect(plane.id).toBe(before.id)
  expect(access).toBeDefined()
})

test('creates a paused plane, and starts it when it is created again without that', async () => {
  const world = new FakeComposition()

  const paused = await create(world, { isPaused: true })
  const calls = [...world.driver.calls]
  const again = await create(world, { isPaused: true })
  const started = await create(world)

  const plane = { id: paused.plane.id, desired: 'paused', neverStarted: true }
  expect([paused, again]).toMatchObject([
    { isNew: true, plane },
    { isNew: false, plane },
  ])
  expect(paused.access).toBeUndefined()
  expect(calls).toEqual(['create dev'])
  expect(started).toMatchObject({ isNew: false, plane: { id: plane.id, desired: 'running' } })
  expect(started.access).toBeDefined()
  expect(world.ui.notes).toEqual(['"dev" was created paused and never started: it is started now'])
})

test('neither starts nor pauses a plane that is to run when it is created paused', async () => {
  const { inside, plane, world } = await worldWithPlane()
  inside.stop('kube-apiserver')
  const calls = [...world.driver.calls]

  const again = await create(world, { isPaused: true })

  expect(again).toEqual({ plane, isNew: false })
  expect(world.driver.calls).toEqual(calls)
  expect(world.ui.notes).toEqual([
    '"dev" is not paused, and stays as it is; to pause it: vplane pause dev',
  ])
})

test('compares what users wrote, not what another vplane resolved', async () => {
  const { inside, plane: before, world } = await worldWithPlane()
  inside.stored = {
    ...before,
    writtenBy: '99.0.0',
    spec: { ...before.spec, version: '1.34.1', serviceRange: '10.0.0.0/8' },
  }

  const { isNew, plane } = await create(world)

  expect(isNew).toBe(false)
  expect(plane.spec.version).toBe('1.34.1')
})

test('refuses another spec under the same name, with the difference, and touches nothing', async () => {
  const { world } = await worldWithPlane({ spec: { apiGroups: 'all', version: '1.36' } })

  const error = await rejectionOf(create(world, { userSpec: { apiGroups: 'lean' } }))

  expect(error).toMatchObject({
    code: 'CONTROL_PLANE_EXISTS',
    exitCode: 4,
    message: `a control plane named "dev" exists with another spec:
  - apiGroups: "all"
  + apiGroups: "lean"
  - version: "1.36"`,
    hints: ['choose another name', 'or to create it again: vplane delete dev'],
  })
  expect(world.driver.calls).toEqual([])
})

test('plans a create, and says what exists already, without changing anything', async () => {
  const world = new FakeComposition()
  const existing = await world.plane('old', { apiGroups: 'lean' })
  const plan = (name: string, userSpec: UserSpec = {}) =>
    planCreate({ name, userSpec, driver: world.driver })

  expect(await plan('dev')).toEqual({ name: 'dev', spec: resolveSpec({}) })
  expect(await plan('old', { apiGroups: 'lean' })).toMatchObject({ existing })
  expect((await rejectionOf(plan('old'))).code).toBe('CONTROL_PLANE_EXISTS')
  expect((await rejectionOf(plan('Dev'))).code).toBe('INVALID_NAME')
  expect((await rejectionOf(plan('dev', { version: '1.1' }))).code).toBe('USAGE')
  expect(world.driver.calls).toEqual([])
})

/** A composition in which someone else creates the plane meanwhile. */
function overtaken(userSpec: UserSpec = {}) {
  const world = new FakeComposition()
  const other = new FakeComposition({ drivers: [world.driver] })
  world.driver.beforeCreate = () => {
    world.driver.beforeCreate = () => {}
    void other.plane('dev', userSpec)
  }
  return world
}

test('uses a plane that someone else created meanwhile, if it has the same spec', async () => {
  const world = overtaken()

  const { access, plane } = await create(world)

  expect(world.driver.planes.size).toBe(1)
  expect(plane).toEqual(world.driver.inside(plane).stored)
  expect(access).toBeDefined()
})

test('refuses a plane that someone else created meanwhile with another spec', async () => {
  const world = overtaken({ apiGroups: 'lean' })

  const error = await rejectionOf(create(world))

  expect(error.code).toBe('CONTROL_PLANE_EXISTS')
  expect(world.accesses.writes).toBe(0)
})

test('continues an interrupted create', async () => {
  const { inside, world } = await worldWithPlane()
  inside.stop('kube-controller-manager')
  inside.stop('kube-apiserver')

  const { isNew, plane } = await create(world)

  expect(isNew).toBe(false)
  expect((await world.driver.status(plane)).phase).toBe('Ready')
})

test('does not offer to delete what does not exist when a create is interrupted', async () => {
  const world = new FakeComposition()
  const signal = AbortSignal.abort(new VplaneError('ABORTED', 'interrupted'))
  world.driver.create = () => Promise.reject(signal.reason)

  const error = await rejectionOf(create(world, { signal }))

  expect(error).toMatchObject({ message: 'interrupted', hints: [] })
})

test('offers to delete what an interrupted create left, unless it existed before or has an owner', async () => {
  const { error: first, world } = await interrupted()
  const again = await interrupted({}, world)
  const owned = await interrupted({ ownerProcessId: process.pid })

  expect(first).toMatchObject({
    code: 'ABORTED',
    message: 'interrupted: "dev" is not finished',
    hints: ['to remove it: vplane delete dev'],
  })
  expect(again.error).toMatchObject({ code: 'ABORTED', hints: [] })
  expect(owned.error).toMatchObject({ code: 'ABORTED', hints: [] })
})

/** A create that is interrupted while it waits for the API. */
async function interrupted(options: Partial<CreateOptions> = {}, world = new FakeComposition()) {
  const stop = new AbortController()
  const step = world.ui.step.bind(world.ui)
  world.ui.step = (text) => {
    step(text)
    if (text === 'Waiting for the API') {
      stop.abort(new VplaneError('ABORTED', 'interrupted'))
    }
  }
  return { world, error: await rejectionOf(create(world, { ...options, signal: stop.signal })) }
}

test('leaves a paused plane paused', async () => {
  const { plane: paused, world } = await worldWithPlane()
  await world.driver.pause(paused, { ui: world.ui, signal: NEVER })

  const { access, isNew, plane } = await create(world)

  expect(isNew).toBe(false)
  expect(access).toBeUndefined()
  expect(plane.desired).toBe('paused')
  expect((await world.driver.status(plane)).phase).toBe('Paused')
})

test('does not wait without "wait"', async () => {
  const world = new FakeComposition()
  const requests: boolean[] = []
  world.driver.beforeCreate = ({ wait }) => requests.push(wait)

  const { access, isNew } = await create(world, { wait: false })

  expect(isNew).toBe(true)
  expect(access).toBeUndefined()
  expect(requests).toEqual([false])
  expect(world.accesses.writes).toBe(0)
  expect(world.ui.steps).not.toContain('Waiting for the API')
})

test('passes on where a plane is to run, and to whom it belongs', async () => {
  const world = new FakeComposition(HOSTED)
  const requests: object[] = []
  world.driver.beforeCreate = (request) => requests.push(request)
  const options = { host: { namespace: 'team' }, binDir: '/bin', ownerProcessId: 7 }

  const { plane } = await create(world, options)

  expect(plane.namespace).toBe('team')
  expect(requests).toMatchObject([options])
})

test('does not mind a plane of the same name in another namespace', async () => {
  const world = new FakeComposition(HOSTED)
  await create(world, { host: { namespace: 'a' }, userSpec: { apiGroups: 'lean' } })

  const { isNew } = await create(world, { host: { namespace: 'b' } })

  expect(isNew).toBe(true)
  expect(world.driver.planes.size).toBe(2)
})

test('shows how to delete a plane that cannot be read', async () => {
  const world = new FakeComposition()
  await world.driver.damage(await world.plane('dev'))

  const error = await rejectionOf(create(world))

  expect(error.code).toBe('FAILED')
  expect(error.message).toContain('the stored state of "dev" cannot be read')
  expect(error.hints).toEqual(['vplane delete dev'])
})

test('reports a component that cannot start at once, not after the time-out', async () => {
  const { inside, world } = await worldWithPlane()
  inside.broken.add('kube-apiserver')
  const startedAt = performance.now()

  const error = await rejectionOf(create(world, { timeoutMs: 60_000 }))

  expect(error).toMatchObject({ code: 'COMPONENT_FAILED', exitCode: 7 })
  expect(error.message).toContain('panic: kube-apiserver has crashed')
  expect(performance.now() - startedAt).toBeLessThan(2000)
  expect(world.openClients).toBe(0)
})

test('establishes CRDs before it returns', async () => {
  const world = new FakeComposition()
  const made: KubeObject[] = []
  const { api } = world.driver.inside(await world.plane('dev'))
  const stop = new AbortController()
  const establish = async () => {
    for await (const { object, type } of api.watch(CRDS, stop)) {
      if (type === 'ADDED') {
        made.push(object)
        api.put(`${CRDS}/${object.metadata.name}`, { ...object, status: ESTABLISHED })
      }
    }
  }
  const established = establish().catch(() => {})
  const resources = [{ name: 'widgets' }, { name: 'gadgets' }]
  const list = { apiVersion: 'v1', kind: 'APIResourceList', metadata: {}, resources }
  api.put('/apis/example.com/v1', list)

  const result = await create(world, { crds: [crd('widgets'), crd('gadgets')] })
  stop.abort()
  await established

  expect(result.access).toBeDefined()
  expect(made.map(({ metadata }) => metadata.name ?? '').toSorted()).toEqual([
    'gadgets.example.com',
    'widgets.example.com',
  ])
})

test('gives up when a CRD is not established in time', async () => {
  const world = new FakeComposition()

  const error = await rejectionOf(create(world, { crds: [crd('widgets')], timeoutMs: 200 }))

  expect(error).toMatchObject({ code: 'TIMED_OUT', exitCode: 6 })
  expect(error.message).toContain('widgets.example.com')
})

const ESTABLISHED = {
  conditions: [
    { type: 'NamesAccepted', status: 'True' },
    { type: 'Established', status: 'True' },
  ],
  acceptedNames: { plural: 'widgets', kind: 'WIDGETS' },
  storedVersions: ['v1'],
}
