import { expect, test } from 'vitest'
import {
  type Ability,
  canStore,
  refuseWithout,
  storeOf,
  STORES,
} from '../../../src/control-plane/store/store.ts'
import { thrownBy } from '../../support/thrown-by.ts'

const SQLITE = { store: { kine: { sqlite: {} } } }
const ABILITIES: readonly Ability[] = STORES.etcd.abilities

test('a plane has etcd unless its spec names another store', () => {
  expect(storeOf({})).toMatchObject({ title: 'etcd', component: 'etcd' })
  expect(storeOf(SQLITE)).toMatchObject({ title: 'sqlite', component: 'kine' })
})

test.for(ABILITIES)('etcd has %s, sqlite does not', (ability) => {
  expect(canStore({}, ability)).toBe(true)
  expect(canStore(SQLITE, ability)).toBe(false)
})

test.for(ABILITIES)('refuses what needs %s of sqlite, and tells what to do instead', (ability) => {
  const error = thrownBy(() => refuseWithout({ name: 'dev', spec: SQLITE }, ability))

  expect(error).toMatchObject({ code: 'UNSUPPORTED', exitCode: 2 })
  expect(String(error)).toMatch(/"dev" cannot .*: its store is sqlite$/)
  expect(error).toHaveProperty('hints', expect.arrayContaining([expect.any(String)]))
})

test('names the command that is refused', () => {
  const plane = { name: 'dev', spec: SQLITE }

  expect(thrownBy(() => refuseWithout(plane, 'snapshots', 'be moved'))).toMatchObject({
    message: '"dev" cannot be moved: its store is sqlite',
  })
})

test.for(ABILITIES)('refuses nothing that needs %s of etcd', (ability) => {
  expect(() => refuseWithout({ name: 'dev', spec: {} }, ability)).not.toThrow()
})
