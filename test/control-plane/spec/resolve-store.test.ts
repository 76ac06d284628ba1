import { expect, test } from 'vitest'
import type { DriverName } from '../../../src/control-plane/spec/driver-name.ts'
import { componentsOf, ownComponentsOf, servingOf } from '../../../src/control-plane/plane/plane.ts'
import { needsKeeper } from '../../../src/control-plane/spec/needs-keeper.ts'
import { parseSpec } from '../../../src/control-plane/spec/parse-spec.ts'
import { PRESETS } from '../../../src/control-plane/spec/presets.ts'
import { resolveSpec } from '../../../src/control-plane/spec/resolve-spec.ts'
import type { UserSpec } from '../../../src/control-plane/spec/spec.ts'
import type { SharedEtcdSpec } from '../../../src/control-plane/store/store.ts'
import { thrownBy } from '../../support/thrown-by.ts'

const SQLITE = { store: { kine: { sqlite: {} } } }

test('records a store that is not etcd, with the release of kine', () => {
  expect(resolveSpec(SQLITE)).toMatchObject({ ...SQLITE, kineVersion: '0.17.2' })
})

test.for(['local', 'kubernetes'] as const)(
  'stores nothing new for etcd with the driver %s',
  (driver) => {
    expect(resolveSpec({ store: { etcd: {} } }, driver)).toEqual(resolveSpec({}, driver))
    expect(resolveSpec({}, driver)).not.toHaveProperty('store')
  },
)

test('has one pod of kine in a host namespace, with the resources of the preset and of the user', () => {
  const resources = { limits: { memory: '2Gi' } }
  const spec = resolveSpec({ ...SQLITE, preset: 'ha' }, 'kubernetes')
  const larger = resolveSpec({ preset: 'ha', store: { ...SQLITE.store, resources } }, 'kubernetes')

  expect(spec).toMatchObject({ ...SQLITE, host: { etcd: { replicas: 1 }, store: PRESETS.ha.kine } })
  expect(spec.host?.etcd).not.toHaveProperty('compactHashCheck')
  expect(larger.store).toEqual(spec.store)
  expect(larger.host?.store).toMatchObject({
    replicas: 1,
    resources: { ...PRESETS.ha.kine.resources, ...resources },
  })
})

test('has the image of kine that the spec names, and none otherwise', () => {
  const images = { kine: 'mirror.example.com/kine@sha256:c0ffee' }

  expect(resolveSpec({ ...SQLITE, images }, 'kubernetes').host?.images).toMatchObject(images)
  expect(resolveSpec(SQLITE, 'kubernetes').host?.images).not.toHaveProperty('kine')
})

test('has resources of kine only where it runs, in a host namespace', () => {
  const resources = { limits: { memory: '2Gi' } }
  const refusal = (store: UserSpec['store'], driver: DriverName) =>
    thrownBy(() => resolveSpec({ store }, driver)).message

  expect(refusal({ etcd: {}, resources }, 'kubernetes')).toContain('"store.resources"')
  expect(refusal({ ...SQLITE.store, resources }, 'local')).toContain('"store.resources"')
})

test.for([
  [{ etcd: { extraArgs: { v: '1' }, goGc: 80 } }, '"etcd.extraArgs", "etcd.goGc" configure etcd'],
  [{ etcd: { replicas: 3, resources: {} } }, '"etcd.replicas", "etcd.resources" configure etcd'],
] as const)('refuses %j, which only etcd has', ([fields, message]) => {
  const error = thrownBy(() => resolveSpec({ ...SQLITE, ...structuredClone(fields) }))

  expect(error.code).toBe('INVALID_SPEC')
  expect(error.message).toContain(message)
})

test('has backups of kine on this machine, not in a host cluster', () => {
  const backup = { schedule: 'daily' }
  const error = thrownBy(() => resolveSpec({ ...SQLITE, backup }, 'kubernetes'))

  expect(resolveSpec({ ...SQLITE, backup }, 'local').backup).toMatchObject(backup)
  expect(error.message).toContain('which has no backups in a host cluster')
})

test('has the prefix of keys in every store', () => {
  const spec = resolveSpec({ ...SQLITE, etcd: { prefix: '/registry/dev' } })

  expect(spec.etcd).toMatchObject({ prefix: '/registry/dev' })
})

test.for([
  ['store: {}', 'store: must have one of "etcd" and "kine"'],
  ['store: { etcd: {}, kine: { sqlite: {} } }', 'store: must have one of "etcd" and "kine"'],
  ['store: { kine: { mysql: {} } }', 'mysql'],
  ['store: { resources: {} }', 'store: must have one of "etcd" and "kine"'],
] as const)('says what is wrong in "%s"', ([text, message]) => {
  expect(thrownBy(() => parseSpec({ file: { path: 'plane.yaml', text } })).message).toContain(
    message,
  )
})

const HOSTED = { host: 'db.example.com', credentialsSecret: 'owner' }
const DATABASE = { host: 'db.example.com', credentialsFile: '/etc/owner.yaml' }

test.for(['postgres', 'mysql'] as const)('records the server of %s', (kind) => {
  const store = { kine: { [kind]: { ...DATABASE, port: 1234, database: 'objects' } } }

  expect(resolveSpec({ store })).toMatchObject({ store, kineVersion: '0.17.2' })
})

test('refuses a database for an ephemeral plane, and takes it for one that is declared', () => {
  const local = { store: { kine: { postgres: DATABASE } } }
  const hosted = { store: { kine: { postgres: HOSTED } } }
  const ephemeral = thrownBy(() => resolveSpec({ ...local, ephemeral: true }))
  const declared = resolveSpec(hosted, 'kubernetes', { isDeclared: true })

  expect(ephemeral.message).toContain('cannot have the store PostgreSQL')
  expect(declared).toMatchObject(hosted)
})

test.for(['postgres', 'mysql'] as const)(
  'reads the credentials for %s from a file on this machine, and from a Secret in a host namespace',
  (kind) => {
    const refusal = (driver: DriverName, fields: object) =>
      thrownBy(() =>
        resolveSpec({ store: { kine: { [kind]: { host: DATABASE.host, ...fields } } } }, driver),
      ).message
    const store = { kine: { [kind]: HOSTED } }

    expect(resolveSpec({ store }, 'kubernetes')).toMatchObject({ store, kineVersion: '0.17.2' })
    expect(refusal('kubernetes', { ...DATABASE, caFile: '/ca.crt' })).toBe(
      `the driver "kubernetes" does not support "store.kine.${kind}.credentialsFile", "store.kine.${kind}.caFile"`,
    )
    expect(refusal('local', HOSTED)).toBe(
      `the driver "local" does not support "store.kine.${kind}.credentialsSecret"`,
    )
    expect(refusal('kubernetes', {})).toBe(
      `the driver "kubernetes" needs "store.kine.${kind}.credentialsSecret"`,
    )
    expect(refusal('local', {})).toBe(
      `the driver "local" needs "store.kine.${kind}.credentialsFile"`,
    )
  },
)

const ROOT = {
  certificateFile: '/etc/root.crt',
  keyFile: '/etc/root.key',
  clientCaFile: '/etc/clients.crt',
  clientCaKeyFile: '/etc/clients.key',
}
const CLIENT = { certificateFile: '/etc/dev.crt', keyFile: '/etc/dev.key', prefix: '/planes/dev' }
const SHARED = { endpoints: ['https://etcd.example.com:2379'], caFile: '/etc/ca.crt' }

const HOSTED_ROOT = { credentialsSecret: 'owner' }

test('records a shared etcd, without kine', () => {
  const store = { etcd: { shared: { ...SHARED, root: ROOT } } }
  const spec = resolveSpec({ store })

  expect(spec.store).toEqual(store)
  expect(spec).not.toHaveProperty('kineVersion')
  expect(servingOf(spec)).toEqual(['kube-apiserver', 'kube-controller-manager'])
  expect(componentsOf(spec)).toEqual(['kube-apiserver', 'kube-controller-manager'])
})

test.for<[UserSpec, DriverName, string]>([
  [{}, 'kubernetes', 'does not support "store.etcd.shared.caFile", "store.etcd.shared.root.'],
  [{ ephemeral: true }, 'local', 'cannot have the store shared etcd'],
  [{ backup: { schedule: 'daily' } }, 'local', '"backup" is not possible'],
  [{ etcd: { prefix: '/mine' } }, 'local', '"etcd.prefix" configure etcd'],
  [{ etcd: { goGc: 80 } }, 'local', '"etcd.goGc" configure etcd'],
])('refuses a shared etcd with %j and the driver %s', ([user, driver, message]) => {
  const store = { etcd: { shared: { ...SHARED, root: ROOT } } }

  expect(thrownBy(() => resolveSpec({ store, ...user }, driver)).message).toContain(message)
})

test.for([
  ['root', { ...SHARED, root: ROOT }, true],
  ['client', { ...SHARED, client: CLIENT }, false],
] as const)('has a keeper that compacts a shared etcd with "%s": %3$s', ([, shared, needed]) => {
  const store = { etcd: { shared: structuredClone(shared) } }

  expect(needsKeeper(resolveSpec({ store: structuredClone(store) as UserSpec['store'] }))).toBe(
    needed,
  )
})

test.for([
  ['root', { credentialsSecret: 'owner' }],
  ['client', { credentialsSecret: 'team-a', prefix: '/planes/dev' }],
] as const)(
  'takes the "%s" of a shared etcd from a Secret in a host namespace',
  ([kind, access]) => {
    const store = { etcd: { shared: { endpoints: ['https://etcd.test'], [kind]: access } } }
    const spec = resolveSpec({ store }, 'kubernetes')

    expect(spec.store).toEqual(store)
    expect(ownComponentsOf(spec)).toEqual(['kube-apiserver', 'kube-controller-manager'])
    expect(spec.host?.keeper !== undefined).toBe(kind === 'root')
    expect(
      thrownBy(() => resolveSpec({ store }, 'kubernetes', { isDeclared: true })).message,
    ).toContain('the operator uses no etcd of others')
  },
)

test.for<[DriverName, SharedEtcdSpec, string]>([
  ['local', { endpoints: SHARED.endpoints, root: ROOT }, 'needs "store.etcd.shared.caFile"'],
  ['local', { ...SHARED, client: { prefix: '/a' } }, 'needs "store.etcd.shared.client.certificate'],
  ['local', { ...SHARED, root: HOSTED_ROOT }, 'not support "store.etcd.shared.root.credentials'],
  ['kubernetes', { ...SHARED, root: HOSTED_ROOT }, 'does not support "store.etcd.shared.caFile"'],
  ['kubernetes', { endpoints: SHARED.endpoints, root: {} }, 'needs "store.etcd.shared.root.cred'],
])('refuses the driver %s with the shared etcd %j', ([driver, shared, message]) => {
  expect(thrownBy(() => resolveSpec({ store: { etcd: { shared } } }, driver)).message).toContain(
    message,
  )
})

test.for([
  ['neither "root" nor "client"', SHARED],
  ['both', { ...SHARED, root: ROOT, client: CLIENT }],
  ['no members', { ...SHARED, endpoints: [], root: ROOT }],
  ['no TLS', { ...SHARED, endpoints: ['http://etcd:2379'], root: ROOT }],
  ['a path', { ...SHARED, endpoints: ['https://etcd:2379/a'], root: ROOT }],
  ['two members in one text', { ...SHARED, endpoints: ['https://a,https://b'], root: ROOT }],
  ['a relative path', { ...SHARED, root: { ...ROOT, keyFile: 'root.key' } }],
  ['a prefix that ends with "/"', { ...SHARED, client: { ...CLIENT, prefix: '/planes/' } }],
  ['a prefix of all keys', { ...SHARED, client: { ...CLIENT, prefix: '/' } }],
] as const)('refuses a shared etcd with %s', ([, shared]) => {
  const text = JSON.stringify({ store: { etcd: { shared } } })

  expect(thrownBy(() => parseSpec({ file: { path: 'spec.yaml', text } })).code).toBe('INVALID_SPEC')
})

test.for([
  ['no store', {}],
  ['two stores', { sqlite: {}, postgres: DATABASE }],
  ['two databases', { mysql: DATABASE, postgres: DATABASE }],
  ['no host', { postgres: { credentialsFile: '/etc/owner.yaml' } }],
  ['a host that is none', { postgres: { ...DATABASE, host: 'a/b?sslmode=disable' } }],
  ['a wildcard', { mysql: { ...DATABASE, host: '*.example.com' } }],
  ['a Secret that is none', { postgres: { ...HOSTED, credentialsSecret: 'a/b' } }],
  ['a relative path', { postgres: { ...DATABASE, caFile: 'ca.crt' } }],
  ['a port that is none', { postgres: { ...DATABASE, port: 70_000 } }],
  ...['a"; DROP ROLE x; --', 'a`b', 'a/b', 'a?tls=false', 'Upper', '', 'a'.repeat(64), '%'].map(
    (database) => [`the database ${database}`, { mysql: { ...DATABASE, database } }] as const,
  ),
] as const)('refuses a spec of kine with %s', ([, kine]) => {
  const text = JSON.stringify({ store: { kine } })

  expect(thrownBy(() => parseSpec({ file: { path: 'spec.yaml', text } })).code).toBe('INVALID_SPEC')
})
