import { expect, test } from 'vitest'
import type { DeclaredSpec } from '../../../../src/control-plane/declared/control-plane-object.ts'
import type { DeclaredState, Operators } from '../../../../src/control-plane/declared/operators.ts'
import { createControlPlane } from '../../../../src/control-plane/use-cases/create/create-control-plane.ts'
import type { UserSpec } from '../../../../src/control-plane/spec/spec.ts'
import { FakeComposition } from '../../../support/driver/fake-composition.ts'
import { HOSTED } from '../../../support/driver/world-with-plane.ts'
import { rejectionOf } from '../../../support/thrown-by.ts'

const { signal } = new AbortController()
const HOST = { namespace: 'team-a' }
const DONE: DeclaredState = { observedGeneration: 1, isProgressing: false, work: '' }

test('declares a plane, waits until an operator has created it, and finds a way into it', async () => {
  const { create, declared, world } = worldWithOperator()

  const { access, isNew, plane } = await create({ renew: true })

  expect(isNew).toBe(true)
  expect(plane).toMatchObject({ name: 'dev', declaredBy: 'uid-1', userSpec: { renew: true } })
  expect(access).toBeDefined()
  expect(declared).toEqual([{ name: 'dev', ...HOST, createNamespace: true }])
  expect(world.ui.steps).toEqual(
    expect.arrayContaining(['Declaring "dev"', 'Waiting for the operator', 'Waiting for the API']),
  )
})

test('succeeds for a declared plane of the same spec, and refuses another spec', async () => {
  const { create } = worldWithOperator()
  await create({ renew: true })

  const { isNew } = await create({ renew: true })
  const error = await rejectionOf(create({ renew: false }))

  expect(isNew).toBe(false)
  expect(error).toMatchObject({ code: 'CONTROL_PLANE_EXISTS' })
  expect(error.message).toContain('exists with another spec')
})

test('declares a plane that is paused, which the operator never starts', async () => {
  const { create, specs } = worldWithOperator()

  const { access, isNew, plane } = await create({ renew: true }, { isPaused: true })
  const again = await create({ renew: true }, { isPaused: true })

  expect(specs).toEqual([
    { renew: true, paused: true },
    { renew: true, paused: true },
  ])
  expect(plane).toMatchObject({ desired: 'paused', neverStarted: true, userSpec: { renew: true } })
  expect([isNew, again.isNew]).toEqual([true, false])
  expect(access).toBeUndefined()
})

test('refuses a plane that exists without a ControlPlane', async () => {
  const { create, declared, world } = worldWithOperator()
  await world.driver.create(
    { name: 'dev', userSpec: {}, spec: (await world.plane('other')).spec, host: HOST, wait: true },
    { ui: world.ui, signal },
  )

  const error = await rejectionOf(create({}))

  expect(error).toMatchObject({
    code: 'CONTROL_PLANE_EXISTS',
    hints: ['to declare it: vplane adopt dev --namespace team-a'],
  })
  expect(declared).toEqual([])
})

test('declares nothing where no operator creates control planes', async () => {
  const { create, declared } = worldWithOperator({ isWatched: false })

  const error = await rejectionOf(create({}))

  expect(error).toMatchObject({
    code: 'NOT_FOUND',
    message: 'no operator creates control planes in namespace "team-a"',
    hints: ['vplane operator install', 'vplane operator status'],
  })
  expect(declared).toEqual([])
})

test('fails with what prevents the operator', async () => {
  const { create } = worldWithOperator({ state: { ...DONE, failure: 'the quota is exceeded' } })

  expect(await rejectionOf(create({}))).toMatchObject({
    code: 'FAILED',
    message: 'the operator cannot create "dev": the quota is exceeded',
  })
})

/** A host whose operator creates a plane as soon as it is declared. */
function worldWithOperator({
  isWatched = true,
  state = DONE,
}: { isWatched?: boolean; state?: DeclaredState } = {}) {
  const world = new FakeComposition(HOSTED)
  const { driver } = world
  const declared: Array<Parameters<Operators['declare']>[0]> = []
  const specs: DeclaredSpec[] = []
  const operators: Pick<Operators, 'declare' | 'isWatched' | 'observe'> = {
    isWatched: () => Promise.resolve(isWatched),
    declare: async (place, spec) => {
      declared.push(place)
      specs.push(spec)
      const { paused: isPaused, ...userSpec } = spec
      const request = { ...options(userSpec), isPaused, declaredBy: 'uid-1', wait: false }
      await createControlPlane(world, request)
      return { ...place, uid: 'uid-1', generation: 1, isReady: true }
    },
    observe: () => Promise.resolve(state),
  }
  const options = (userSpec: UserSpec) => ({
    name: 'dev',
    userSpec,
    driver,
    host: HOST,
    timeoutMs: 5000,
    signal,
  })
  const create = (userSpec: UserSpec, { isPaused = false } = {}) =>
    createControlPlane(world, {
      ...options(userSpec),
      isPaused,
      wait: true,
      openOperators: () => Promise.resolve(operators),
    })
  return { create, declared, specs, world }
}
