import { expect, test } from 'vitest'
import type { DatabaseKind } from '../../../src/control-plane/store/store.ts'
import {
  formatPlaneDatabase,
  kineEndpoint,
  newPlaneDatabase,
  parsePlaneDatabase,
  type PlaneDatabase,
} from '../../../src/database/dialect/plane-database.ts'
import { thrownBy } from '../../support/thrown-by.ts'

const CREDENTIALS = { credentialsFile: '/etc/owner.yaml' }

test('gives each plane another role, database and password, and fills in the port', () => {
  const [one, other] = [factsOf(), factsOf()]

  expect(one.role).toMatch(/^vplane-dev-[0-9a-f]{8}$/)
  expect(one).toMatchObject({ database: one.role, port: 5432, host: 'db.example.com' })
  expect(one.password).toMatch(/^[0-9a-f]{64}$/)
  expect([one.role, one.password]).not.toEqual([other.role, other.password])
})

test('keeps the name of a role short', () => {
  const name = 'a'.repeat(63)

  expect(factsOf({ name }).role.length).toBe(32)
})

test('keeps the database that the spec names', () => {
  expect(factsOf({ database: 'objects' })).toMatchObject({ database: 'objects' })
})

test('reads what it has written', () => {
  const facts = factsOf({ caFile: '/etc/ca.crt' })

  expect(parsePlaneDatabase(formatPlaneDatabase(facts), 'database.json')).toEqual(facts)
})

test('refuses a file that is damaged', () => {
  const text = formatPlaneDatabase(factsOf()).replace('"kind": "postgres"', '"kind": "x"')

  expect(thrownBy(() => parsePlaneDatabase(text, 'database.json')).code).toBe('FAILED')
})

test('connects kine over TLS that is checked', () => {
  const facts = factsOf()
  const { database, password, role } = facts

  expect(kineEndpoint(facts)).toBe(
    `postgres://${role}:${password}@db.example.com:5432/${database}?sslmode=verify-full`,
  )
})

test('connects kine to MySQL over TLS that is checked, by its own CAs or those of the machine', () => {
  const [own, ofPod, ofMachine] = [
    { caFile: '/etc/ca.crt' },
    { credentialsSecret: 'owner' },
    {},
  ].map((ca) => factsOf({ kind: 'mysql', ...ca }))
  const start = ({ database, password, role }: PlaneDatabase) =>
    `mysql://${role}:${password}@tcp(db.example.com:3306)/${database}?`

  expect(own && kineEndpoint(own)).toBe(own && `${start(own)}sql_mode=%27TRADITIONAL%27`)
  expect(ofPod && kineEndpoint(ofPod)).toBe(ofPod && `${start(ofPod)}sql_mode=%27TRADITIONAL%27`)
  expect(ofMachine && kineEndpoint(ofMachine)).toBe(
    ofMachine && `${start(ofMachine)}tls=true&sql_mode=%27TRADITIONAL%27`,
  )
})

test('puts an IPv6 address in brackets', () => {
  expect(kineEndpoint(factsOf({ host: '::1' }))).toContain('@[::1]:5432/')
  expect(kineEndpoint(factsOf({ kind: 'mysql', host: '::1' }))).toContain('@tcp([::1]:3306)/')
})

function factsOf({
  name = 'dev',
  ...more
}: {
  name?: string
  kind?: DatabaseKind
  host?: string
  database?: string
  caFile?: string
} = {}) {
  return newPlaneDatabase(name, {
    kind: 'postgres',
    host: 'db.example.com',
    ...CREDENTIALS,
    ...more,
  })
}
