import { expect, test } from 'vitest'
import { parseSpec } from '../../../src/control-plane/spec/parse-spec.ts'
import { resolveSpec } from '../../../src/control-plane/spec/resolve-spec.ts'
import { thrownBy } from '../../support/thrown-by.ts'

const SQLITE = { store: { kine: { sqlite: {} } } }

test('records a store that is not etcd, with the release of kine', () => {
  expect(resolveSpec(SQLITE)).toMatchObject({ ...SQLITE, kineVersion: '0.16.4' })
})

test.for(['local', 'kubernetes'] as const)(
  'stores nothing new for etcd with the driver %s',
  (driver) => {
    expect(resolveSpec({ store: { etcd: {} } }, driver)).toEqual(resolveSpec({}, driver))
    expect(resolveSpec({}, driver)).not.toHaveProperty('store')
  },
)

test('has only etcd in a host namespace', () => {
  expect(thrownBy(() => resolveSpec(SQLITE, 'kubernetes'))).toMatchObject({
    code: 'INVALID_SPEC',
    message: '"store.kine" is only possible with the local driver',
  })
})

test.for([
  [{ backup: { schedule: 'daily' } }, '"backup" is not possible with the store sqlite'],
  [{ etcd: { extraArgs: { v: '1' }, goGc: 80 } }, '"etcd.extraArgs", "etcd.goGc" configure etcd'],
] as const)('refuses %j, which only etcd has', ([fields, message]) => {
  const error = thrownBy(() => resolveSpec({ ...SQLITE, ...structuredClone(fields) }))

  expect(error.code).toBe('INVALID_SPEC')
  expect(error.message).toContain(message)
})

test('has the prefix of keys in every store', () => {
  const spec = resolveSpec({ ...SQLITE, etcd: { prefix: '/registry/dev' } })

  expect(spec.etcd).toMatchObject({ prefix: '/registry/dev' })
})

test.for([
  ['store: {}', 'store: must have one of "etcd" and "kine"'],
  ['store: { etcd: {}, kine: { sqlite: {} } }', 'store: must have one of "etcd" and "kine"'],
  ['store: { kine: { mysql: {} } }', 'mysql'],
] as const)('says what is wrong in "%s"', ([text, message]) => {
  expect(thrownBy(() => parseSpec({ file: { path: 'plane.yaml', text } })).message).toContain(
    message,
  )
})
