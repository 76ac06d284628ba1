import { expect, test } from 'vitest'
import { makePlanes } from '../../../src/cli/request/make-planes.ts'
import { VplaneError } from '../../../src/shared/errors.ts'
import { FakeComposition } from '../../support/driver/fake-composition.ts'
import { rejectionOf } from '../../support/thrown-by.ts'

function make(world: FakeComposition, count: number, name = 'dev') {
  const openOperators = () => Promise.reject(new Error('there are no operators'))
  return makePlanes(Object.assign(world, { openOperators }), {
    name,
    count,
    userSpec: {},
    targetOf: () => Promise.resolve({ driver: world.driver }),
    settings: {},
    paused: true,
    wait: true,
    timeout: 2000,
    signal: new AbortController().signal,
  })
}

test('creates planes of one spec, numbered from 1, and those that are missing when it runs again', async () => {
  const world = new FakeComposition()

  const first = await make(world, 3)
  const again = await make(world, 12)

  expect(first.map(({ plane }) => plane.name)).toEqual(['dev-1', 'dev-2', 'dev-3'])
  expect(again.map(({ plane }) => plane.name).at(-1)).toBe('dev-12')
  expect(again.map(({ isNew }) => isNew).filter(Boolean)).toHaveLength(9)
  expect(again.slice(0, 3).map(({ plane }) => plane.id)).toEqual(first.map(({ plane }) => plane.id))
  expect(world.ui.steps).toEqual(['Creating 3 control planes', 'Creating 12 control planes'])
  expect(world.ui.details.at(-1)).toBe('12 of 12')
})

test('begins no other plane after a failure, and says how many exist', async () => {
  const world = new FakeComposition()
  world.driver.beforeCreate = ({ name }) => {
    if (name === 'dev-6') {
      throw new VplaneError('FAILED', 'no room')
    }
  }

  const error = await rejectionOf(make(world, 100))

  expect(error.message).toBe('no room')
  expect(world.driver.planes.size).toBeLessThan(12)
  expect(world.ui.notes).toEqual([
    `${world.driver.planes.size} of 100 control planes exist; the same command continues`,
  ])
})

test('refuses names that are too long before it creates any', async () => {
  const world = new FakeComposition()

  const error = await rejectionOf(make(world, 10, 'x'.repeat(38)))

  expect(error.code).toBe('INVALID_NAME')
  expect(world.driver.planes.size).toBe(0)
})
