import { expect, test } from 'vitest'
import { hostServiceNames } from '../../../src/manifests/values/syncer-values.ts'

const domains = { clusterDomain: 'dev.local', hostClusterDomain: 'cluster.local' }

test('asks the host for a Service of its by the name in the plane', () => {
  const services = { 'db.default': 'postgres.databases' }

  expect(hostServiceNames({ ...domains, services })).toBe(`db.default.svc.dev.local:1053 {
    errors
    rewrite name exact db.default.svc.dev.local postgres.databases.svc.cluster.local answer auto
    forward . /etc/resolv.conf
    cache 30
}
`)
})

test('says nothing of Services where none has a name in the plane', () => {
  expect(hostServiceNames({ ...domains, services: {} })).toBe('')
})
