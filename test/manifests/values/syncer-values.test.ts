import { expect, test } from 'vitest'
import type { UserSpec } from '../../../src/control-plane/spec/spec.ts'
import { hostServiceNames, syncerValues } from '../../../src/manifests/values/syncer-values.ts'
import { manifestInputOf } from '../manifest-input-of.ts'

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

const server = { host: 'db.databases.svc', credentialsSecret: 'owner' }
const shared = {
  endpoints: ['https://etcd.databases.svc:2379'],
  root: { credentialsSecret: 'owner' },
}

test.for<[string, UserSpec['store'], string | undefined]>([
  ['etcd', undefined, 'vplane-dev-etcd-peers.team-a.svc:2381'],
  ['sqlite', { kine: { sqlite: {} } }, 'vplane-dev-kine.team-a.svc:2379'],
  ['PostgreSQL', { kine: { postgres: server } }, 'vplane-dev-kine.team-a.svc:2379'],
  ['a shared etcd', { etcd: { shared } }, undefined],
])('names what a NetworkPolicy of %s denies', ([, store, denied]) => {
  const user = { sync: {}, ...(store && { store }) }

  expect(syncerValues(manifestInputOf(user))).toMatchObject({ deniedAddress: denied })
})
