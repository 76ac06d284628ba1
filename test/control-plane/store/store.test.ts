import { expect, test } from 'vitest'
import {
  type Ability,
  canStore,
  ownStoreOf,
  refuseWithout,
  storeOf,
  STORES,
} from '../../../src/control-plane/store/store.ts'
import { thrownBy } from '../../support/thrown-by.ts'

const SQLITE = { store: { kine: { sqlite: {} } } }
const ON_HOST = { ...SQLITE, host: {} }
const SHARED = { endpoints: ['https://etcd.example.com:2379'], caFile: '/ca.crt' }
const DATABASE = { host: 'db.example.com', credentialsFile: '/owner.yaml' }
const ABILITIES: readonly Ability[] = STORES.etcd.abilities

test('a plane has etcd unless its spec names another store', () => {
  expect(storeOf({})).toMatchObject({ title: 'etcd', component: 'etcd' })
  expect(storeOf(SQLITE)).toMatchObject({ title: 'sqlite', component: 'kine' })
})

test.for(ABILITIES)('etcd has %s, also in a host cluster', (ability) => {
  expect(canStore({}, ability)).toBe(true)
  expect(canStore({ host: {} }, ability)).toBe(true)
})

test.for([
  ['sqlite', {}, ['snapshots', 'restores', 'backups']],
  ['postgres', DATABASE, ['snapshots', 'restores', 'backups']],
  ['mysql', DATABASE, ['snapshots', 'restores', 'backups']],
] as const)('of these, %s has what is listed alone', ([kind, facts, listed]) => {
  const spec = { store: { kine: { [kind]: facts } } }

  expect(ABILITIES.filter((ability) => canStore(spec, ability))).toEqual(listed)
  expect(ABILITIES.filter((ability) => canStore({ ...spec, host: {} }, ability))).toEqual(
    listed.filter((ability) => ability !== 'backups'),
  )
})

test('a shared etcd has snapshots and restores on this machine alone, and no component of the plane', () => {
  const spec = { store: { etcd: { shared: SHARED } } }

  expect(ABILITIES.filter((ability) => canStore(spec, ability))).toEqual(['snapshots', 'restores'])
  expect(ABILITIES.filter((ability) => canStore({ ...spec, host: {} }, ability))).toEqual([])
  expect(ownStoreOf(spec)).toBeUndefined()
  expect(thrownBy(() => refuseWithout({ name: 'dev', spec }, 'backups'))).toMatchObject({
    message: '"dev" cannot have backups: its store is shared etcd',
    hints: [expect.any(String)],
  })
})

test('names the stores that can be restored', () => {
  const spec = { host: {}, store: { etcd: { shared: SHARED } } }

  expect(thrownBy(() => refuseWithout({ name: 'dev', spec }, 'restores'))).toMatchObject({
    code: 'UNSUPPORTED',
    message: '"dev" cannot be restored: its store is shared etcd',
    hints: [expect.stringContaining('with the store etcd or kine')],
  })
})

const LACKING = ABILITIES.filter((ability) => !canStore(ON_HOST, ability))

test.for(LACKING)(
  'refuses what needs %s of sqlite in a host cluster, and tells what to do instead',
  (ability) => {
    const error = thrownBy(() => refuseWithout({ name: 'dev', spec: ON_HOST }, ability))

    expect(error).toMatchObject({ code: 'UNSUPPORTED', exitCode: 2 })
    expect(String(error)).toMatch(/"dev" cannot .*: its store is sqlite$/)
    expect(error).toHaveProperty('hints', expect.arrayContaining([expect.any(String)]))
  },
)

test('names the command that is refused', () => {
  const plane = { name: 'dev', spec: ON_HOST }

  expect(thrownBy(() => refuseWithout(plane, 'moves', 'have bundles'))).toMatchObject({
    message: '"dev" cannot have bundles: its store is sqlite',
  })
})

test.for(ABILITIES)('refuses nothing that needs %s of etcd', (ability) => {
  expect(() => refuseWithout({ name: 'dev', spec: {} }, ability)).not.toThrow()
})
