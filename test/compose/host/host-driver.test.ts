import { expect, test } from 'vitest'
import { hostDriver } from '../../../src/compose/host/host-driver.ts'
import { describeDriver } from '../../support/contracts/driver-contract.ts'
import { FakeDriver } from '../../support/driver/fake-driver.ts'

describeDriver('of a host, loaded late', async () => {
  const inside = new FakeDriver({ name: 'kubernetes' })
  return {
    driver: hostDriver({ hasHost: () => Promise.resolve(true), load: async () => inside }),
    openApi: inside.openApi,
    kill: (plane, component) => inside.kill(plane, component),
    damage: (plane) => inside.damage(plane),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  }
})

test('has no planes without a host, and loads nothing to find that out', async () => {
  const driver = hostDriver({
    hasHost: () => Promise.resolve(false),
    load: () => Promise.reject(new Error('was loaded')),
  })

  expect(await driver.list()).toEqual([])
  expect(await driver.find('dev')).toEqual([])
})

test('is loaded once', async () => {
  let loads = 0
  const inside = new FakeDriver({ name: 'kubernetes' })
  const driver = hostDriver({
    hasHost: () => Promise.resolve(true),
    load: async () => {
      loads += 1
      return inside
    },
  })

  await Promise.all([driver.list(), driver.find('dev'), driver.list()])

  expect(loads).toBe(1)
  expect(driver.name).toBe('kubernetes')
})
