import { expect, test } from 'vitest'
import { resolveSpec } from '../../../../src/control-plane/spec/resolve-spec.ts'
import { specForDriver } from '../../../../src/control-plane/use-cases/restore/spec-for-driver.ts'
import { thrownBy } from '../../../support/thrown-by.ts'

test('refuses a plane whose database the other driver has no credentials for', () => {
  const postgres = { host: 'db.example.com', credentialsSecret: 'owner' }
  const userSpec = { store: { kine: { postgres } } }
  const specs = { userSpec, spec: resolveSpec(userSpec, 'kubernetes') }

  expect(specForDriver(specs, 'kubernetes').spec.store).toEqual(userSpec.store)
  expect(thrownBy(() => specForDriver(specs, 'local'))).toMatchObject({
    code: 'UNSUPPORTED',
    message: expect.stringContaining('for its store, PostgreSQL'),
    hints: [expect.stringContaining('that is no bundle')],
  })
})

test('keeps sqlite for another driver', () => {
  const userSpec = { store: { kine: { sqlite: {} } } }
  const specs = { userSpec, spec: resolveSpec(userSpec, 'kubernetes') }

  expect(specForDriver(specs, 'local').spec).toMatchObject(userSpec)
  expect(specForDriver(specs, 'local').spec).not.toHaveProperty('host')
})
