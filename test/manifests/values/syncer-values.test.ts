import { expect, test } from 'vitest'
import { hostServiceNames } from '../../../src/manifests/values/syncer-values.ts'

test('resolves the name in the plane to the Service of the host', () => {
  const hostServices = { 'db.default': 'postgres.databases' }

  expect(hostServiceNames({ hostServices }, 'dev.local')).toBe(`db.default.svc.dev.local:1053 {
    errors
    rewrite name exact db.default.svc.dev.local postgres.databases.svc.cluster.local answer auto
    forward . /etc/resolv.conf
    cache 30
}
`)
})

test('configures nothing without Services of the host', () => {
  expect(hostServiceNames({}, 'dev.local')).toBe('')
})
