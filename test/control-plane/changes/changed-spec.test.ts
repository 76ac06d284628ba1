import { expect, test } from 'vitest'
import { changedSpec } from '../../../src/control-plane/changes/changed-spec.ts'
import type { DriverName } from '../../../src/control-plane/spec/driver-name.ts'
import { setSpecFields } from '../../../src/control-plane/spec/parse-spec.ts'
import { specsOf } from '../../../src/control-plane/spec/plane-specs.ts'
import { resolveSpec } from '../../../src/control-plane/spec/resolve-spec.ts'
import type { PlaneSpec, UserSpec } from '../../../src/control-plane/spec/spec.ts'
import { thrownBy } from '../../support/thrown-by.ts'

test('changes what the user says otherwise', () => {
  const plane = planeOf({ apiServer: { extraArgs: { v: '2' } } })

  const { spec, userSpec } = changedSpec(plane, { apiServer: { extraArgs: { v: '4' }, goGc: 80 } })

  expect(userSpec).toEqual({ apiServer: { extraArgs: { v: '4' }, goGc: 80 } })
  expect(spec).toEqual({ ...plane.spec, apiServer: { extraArgs: { v: '4' }, goGc: 80 } })
})

test('gives a field that is not said any more its default', () => {
  const plane = planeOf({ apiServer: { goGc: 80 }, audit: { policy: { rules: [] } } })

  expect(changedSpec(plane, {}).spec).toEqual(resolveSpec({}))
})

test('keeps defaults that the plane was made with, unless the user says them', () => {
  const stored = { ...resolveSpec({}), etcd: { extraArgs: {}, goGc: 33 } }
  const plane = planeOf({}, { spec: stored })
  const { goGc } = resolveSpec({}).etcd

  expect(changedSpec(plane, { apiGroups: 'lean' }).spec).toEqual({ ...stored, apiGroups: 'lean' })
  expect(changedSpec(plane, { etcd: { goGc } }).spec.etcd.goGc).toBe(goGc)
})

test.for(['local', 'kubernetes'] as const)(
  'has any client wake a plane of before "wake" was known only when the user says so: %s',
  (driver) => {
    const userSpec: UserSpec = { idle: '30m' }
    const { wake: _, ...stored } = resolveSpec(userSpec, driver)
    const plane = planeOf(userSpec, { driver, spec: stored })
    const { spec } = changedSpec(plane, { idle: '2h' })

    const any = changedSpec(plane, setSpecFields(userSpec, ['wake.by=any']))

    expect(spec).toEqual({ ...stored, idle: '2h' })
    expect(any.spec).toEqual({ ...stored, wake: { by: 'any' } })
    expect(any.userSpec).toEqual({ idle: '30m', wake: { by: 'any' } })
  },
)

test('takes the numbers of another preset, and keeps the volumes', () => {
  const plane = planeOf({}, { driver: 'kubernetes' })

  const { host } = changedSpec(plane, { preset: 'ha' }).spec

  expect(host).toMatchObject({ preset: 'ha', etcd: { replicas: 3 }, apiServer: { replicas: 2 } })
  expect(host?.storage).toEqual(plane.spec.host?.storage)
})

test('keeps fixed fields that a spec leaves out', () => {
  const said: UserSpec = { version: '1.35', ephemeral: true, clusterDomain: 'test' }
  const plane = planeOf({ ...said, apiGroups: 'lean' })

  const { spec, userSpec } = changedSpec(plane, {})

  expect(userSpec).toEqual(said)
  expect(spec).toEqual(resolveSpec(said))
})

test('takes a fixed field that is said as it is', () => {
  const plane = planeOf({}, { driver: 'kubernetes' })

  expect(changedSpec(plane, { storage: { size: '2Gi' } }).spec).toEqual(plane.spec)
})

const AESGCM = { secrets: true, provider: 'aesgcm' } as const

test('keeps the store, and takes no other', () => {
  const sqlite = { store: { kine: { sqlite: {} } } }

  expect(changedSpec(planeOf(sqlite), {}).spec).toEqual(resolveSpec(sqlite))
  expect(changedSpec(planeOf({}), { store: { etcd: {} } }).spec).toEqual(resolveSpec({}))
  for (const [from, to] of [
    [sqlite, { store: { etcd: {} } }],
    [{}, sqlite],
  ]) {
    const error = thrownBy(() => changedSpec(planeOf(from ?? {}), to ?? {}))
    expect(error).toMatchObject({ code: 'INVALID_SPEC' })
    expect(error.message).toContain('because its data is stored there')
    expect(error.hints.join()).toContain('vplane delete dev')
  }
})

test.for([
  [{ version: '1.35' }, 'version', /vplane upgrade dev/],
  [{ ephemeral: true }, 'ephemeral', /vplane delete dev/],
  [{ serviceRange: '10.1.0.0/16' }, 'serviceRange', /vplane delete dev/],
  [{ clusterDomain: 'other' }, 'clusterDomain', /vplane delete dev/],
  [{ pki: { algorithm: 'rsa' } }, 'pki.algorithm', /vplane delete dev/],
  [{ encryption: { secrets: false } }, 'encryption.secrets', /vplane delete dev/],
  [{ encryption: AESGCM }, 'encryption.provider', /vplane delete dev/],
  [{ etcd: { prefix: '/other' } }, 'etcd.prefix', /vplane delete dev/],
  [{ serviceAccountIssuer: 'https://other.example' }, 'serviceAccountIssuer', /vplane delete dev/],
  [{ storage: { size: '9Gi' } }, 'storage.size', /vplane delete dev/],
  [{ storage: { className: 'fast' } }, 'storage.className', /vplane delete dev/],
] as const)('refuses %o by name, with what to do instead', ([wanted, field, hint]) => {
  const plane = planeOf({}, { driver: 'kubernetes' })

  const error = thrownBy(() => changedSpec(plane, wanted))

  expect(error.code).toBe('INVALID_SPEC')
  expect(error.message).toContain(`"${field}"`)
  expect(error.hints.join()).toMatch(hint)
})

test('switches sync on and off, and its fixed fields with it', () => {
  const virtual: UserSpec = { sync: { nodes: true, scheduler: 'virtual' } }
  const planes = [{}, virtual].map((userSpec) => planeOf(userSpec, { driver: 'kubernetes' }))
  const [nodeless, synced] = planes.map((plane, index) =>
    changedSpec(plane, index === 0 ? virtual : {}),
  )

  expect(nodeless?.spec.host).toMatchObject({ sync: { scheduler: 'virtual' }, scheduler: {} })
  expect(nodeless?.spec.host?.policies?.network).toEqual({ egress: ['public'], ingress: [] })
  expect(synced?.userSpec).toEqual({})
  expect(synced?.spec.host).not.toHaveProperty('sync')
  expect(synced?.spec.host).not.toHaveProperty('policies')
})

test('keeps the other fields of a plane that ceases to run pods', () => {
  const userSpec: UserSpec = { sync: {}, policies: { endpoints: ['10.0.0.0/8'] } }
  const plane = planeOf(userSpec, { driver: 'kubernetes' })

  const off = changedSpec(plane, { ...userSpec, sync: { enabled: false } })
  const on = changedSpec({ ...plane, ...specsOf(off) }, userSpec)

  expect(off.spec.host).not.toHaveProperty('policies')
  expect(on.spec).toEqual(plane.spec)
})

test('refuses what the driver does not know, and managed flags', () => {
  const plane = planeOf({})

  expect(thrownBy(() => changedSpec(plane, { preset: 'ha' })).message).toContain('"preset"')
  const managed = { apiServer: { extraArgs: { 'etcd-servers': 'x' } } }
  expect(thrownBy(() => changedSpec(plane, managed)).message).toContain('--etcd-servers')
})

function planeOf(userSpec: UserSpec, fields: { driver?: DriverName; spec?: PlaneSpec } = {}) {
  const { driver = 'local', spec = resolveSpec(userSpec, driver) } = fields
  return { name: 'dev', driver, userSpec, spec }
}
