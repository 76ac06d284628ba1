import { expect, test } from 'vitest'
import { etcdConfiguration } from '../../../../src/control-plane/components/arguments/etcd-configuration.ts'
import type { Layout } from '../../../../src/control-plane/components/arguments/layout.ts'
import { resolveSpec } from '../../../../src/control-plane/spec/resolve-spec.ts'
import type { UserSpec } from '../../../../src/control-plane/spec/spec.ts'
import { fieldAt } from '../../../../src/shared/json-fields.ts'
import { layoutOf } from '../../../support/driver/layouts.ts'
import { thrownBy } from '../../../support/thrown-by.ts'

/** The configuration file of a member, as an object. */
function configurationOf(user: UserSpec = {}, etcd: Partial<Layout['etcd']> = {}): object {
  const layout = layoutOf('nodeless')
  const of = { ...layout, etcd: { ...layout.etcd, ...etcd } }
  return Object(JSON.parse(etcdConfiguration(resolveSpec(user), of)))
}

const withArgs = (extraArgs: Record<string, string | string[]>) =>
  configurationOf({ etcd: { extraArgs } })

test('speaks TLS to clients and peers alone, and asks both for certificates of its CA', () => {
  expect(configurationOf()).toMatchObject({
    'listen-client-urls': 'https://127.0.0.1:20001',
    'listen-client-http-urls': 'unixs://etcd.sock',
    'listen-peer-urls': 'https://127.0.0.1:20002',
    'client-transport-security': {
      'client-cert-auth': true,
      'trusted-ca-file': '/plane/pki/etcd/ca.crt',
    },
    'peer-transport-security': { 'client-cert-auth': true, 'skip-client-san-verification': true },
  })
  expect(JSON.stringify(configurationOf())).not.toContain('http://')
})

test('is a cluster of one member that others cannot join by mistake', () => {
  const member = { name: 'etcd-2', advertisePeer: 'etcd-2.plane:2380' }

  expect(configurationOf({}, member)).toMatchObject({
    name: 'etcd-2',
    'initial-cluster': 'etcd-2=https://etcd-2.plane:2380',
    'initial-advertise-peer-urls': 'https://etcd-2.plane:2380',
    'initial-cluster-token': 'c0ffee',
  })
})

test.for(['new', 'existing'] as const)('starts as a %s cluster if the layout says so', (state) => {
  expect(configurationOf({}, { initialState: state })).toMatchObject({
    'initial-cluster-state': state,
  })
})

const PEERS = ['etcd-0', 'etcd-1'].map((name) => ({ name, advertisePeer: `${name}:2380` }))

test.for([
  { initialState: 'new', joins: undefined, told: 2 },
  { initialState: 'existing', joins: PEERS, told: 2 },
  { initialState: 'existing', joins: undefined, told: 1 },
] as const)('names $told members as $initialState, joining $joins', ({ told, ...start }) => {
  const members = ['etcd-0=https://etcd-0:2380', 'etcd-1=https://etcd-1:2380']

  expect(configurationOf({}, { ...start, ...PEERS[1], members: PEERS })).toMatchObject({
    'initial-cluster': members.slice(-told).join(),
  })
})

test.for([
  { ephemeral: true, members: PEERS.slice(1), isUnsafe: true },
  { ephemeral: true, members: PEERS, isUnsafe: false },
  { ephemeral: false, members: PEERS.slice(1), isUnsafe: false },
])(
  'syncs to disk unless all is lost with one pod: ephemeral $ephemeral, $members.length members',
  ({ ephemeral, isUnsafe, members }) => {
    const configuration = configurationOf({ ephemeral }, { ...PEERS[1], members })

    expect(configuration).toMatchObject({ 'unsafe-no-fsync': isUnsafe })
  },
)

test.for<[string, string | string[], unknown]>([
  ['snapshot-count', '5000', 5000],
  ['quota-backend-bytes', '8589934592', 8_589_934_592],
  ['log-level', 'debug', 'debug'],
  ['pre-vote', 'false', false],
  ['auto-compaction-retention', '1', '1'],
  ['auto-compaction-retention', '5m', '5m'],
  ['cors', ['https://a', 'https://b'], 'https://a,https://b'],
  ['cipher-suites', 'A,B', ['A', 'B']],
  ['cipher-suites', ['A', 'B'], ['A', 'B']],
  ['log-outputs', 'stderr', ['stderr']],
  ['grpc-keepalive-min-time', '5s', 5e9],
  ['warning-apply-duration', '100ms', 1e8],
  ['corrupt-check-time', '1h2m3.5s', 3_723_500_000_000],
  ['backend-batch-interval', '10us', 10_000],
])('writes --%s=%s as its file types it', ([name, value, written]) => {
  expect(withArgs({ [name]: value })).toHaveProperty([name], written)
})

test.for([
  ['snapshot-count', 'many', 'a whole number'],
  ['snapshot-count', '-1', 'a whole number'],
  ['snapshot-count', '', 'a whole number'],
  ['pre-vote', 'yes', 'true or false'],
  ['grpc-keepalive-min-time', '5', 'a duration'],
  ['grpc-keepalive-min-time', 'soon', 'a duration'],
] as const)('refuses --%s=%s', ([name, value, wanted]) => {
  const error = thrownBy(() => withArgs({ [name]: value }))

  expect(error).toMatchObject({ code: 'INVALID_SPEC', exitCode: 2 })
  expect(error.message).toContain(`etcd.extraArgs.${name} is "${value}", not ${wanted}`)
})

test.for(['snapshot-cuont', 'experimental-memory-mlock', 'v', 'constructor'])(
  'refuses the unknown setting %s, which etcd would ignore',
  (name) => {
    const error = thrownBy(() => withArgs({ [name]: '1' }))

    expect(error.code).toBe('INVALID_SPEC')
    expect(error.message).toBe(`etcd.extraArgs may not set "--${name}": etcd has no such setting`)
  },
)

const MANAGED = [
  'name data-dir wal-dir listen-client-urls listen-client-http-urls initial-cluster-state',
  'cert-file client-cert-auth client-crl-file peer-cert-file peer-auto-tls auto-tls',
  'trusted-ca-file client-transport-security config-file force-new-cluster discovery-srv',
  'enable-grpc-gateway',
].flatMap((names) => names.split(' '))

test.for(MANAGED)('does not let users set --%s', (name) => {
  const error = thrownBy(() => withArgs({ [name]: 'x' }))

  expect(error.code).toBe('INVALID_SPEC')
  expect(error.message).toBe(`etcd.extraArgs may not set "--${name}": vplane manages it`)
})

test('says that ephemeral is the field for --unsafe-no-fsync', () => {
  const error = thrownBy(() => withArgs({ 'unsafe-no-fsync': 'true' }))

  expect(error.hints).toEqual(['instead of --unsafe-no-fsync use the spec field ephemeral'])
})

const MEMBERS = [0, 1, 2].map((ordinal) => ({
  name: `etcd-${ordinal}`,
  advertisePeer: `etcd-${ordinal}.peers:2380`,
}))

test('names all members of a cluster at its start', () => {
  const [, second] = MEMBERS

  expect(configurationOf({}, { ...second, members: MEMBERS })).toMatchObject({
    name: 'etcd-1',
    'initial-cluster':
      'etcd-0=https://etcd-0.peers:2380,etcd-1=https://etcd-1.peers:2380,etcd-2=https://etcd-2.peers:2380',
    'initial-advertise-peer-urls': 'https://etcd-1.peers:2380',
  })
})

test('elects a lone member sooner, and several as etcd does by itself', () => {
  expect(configurationOf()).toMatchObject({ 'heartbeat-interval': 50, 'election-timeout': 250 })
  expect(configurationOf({}, { members: MEMBERS })).not.toHaveProperty('election-timeout')
})

test.for([
  [{ 'heartbeat-interval': '100' }, { 'heartbeat-interval': 100 }],
  [{ 'election-timeout': '5000' }, { 'election-timeout': 5000 }],
] as const)('sets no times if the user sets one of them: %j', ([extraArgs, times]) => {
  const written = Object.entries(withArgs({ ...extraArgs })).filter(([name]) =>
    ['heartbeat-interval', 'election-timeout'].includes(name),
  )

  expect(Object.fromEntries(written)).toEqual(times)
})

test('serves health to those without a certificate only where the layout says so', () => {
  const listenMetrics = 'http://0.0.0.0:2381'

  expect(configurationOf()).not.toHaveProperty('listen-metrics-urls')
  expect(configurationOf({}, { listenMetrics })).toMatchObject({
    'listen-metrics-urls': listenMetrics,
  })
})

test('lets its database grow as far as the layout says, or the user', () => {
  const user = { etcd: { extraArgs: { 'quota-backend-bytes': '1000' } } }

  expect(configurationOf({}, { quotaBytes: 5 })).toMatchObject({ 'quota-backend-bytes': 5 })
  expect(configurationOf(user, { quotaBytes: 5 })).toMatchObject({ 'quota-backend-bytes': 1000 })
})

test.for([
  [3, undefined, 'CompactHashCheck=true'],
  [3, 'SetMemberLocalAddr=true', 'CompactHashCheck=true,SetMemberLocalAddr=true'],
  [3, 'CompactHashCheck=false', 'CompactHashCheck=false'],
  [1, undefined, undefined],
] as const)(
  'lets %i members compare their data unless the user says otherwise: %s',
  ([replicas, own, gates]) => {
    const extraArgs = own === undefined ? {} : { 'feature-gates': own }
    const spec = resolveSpec({ etcd: { replicas, extraArgs } }, 'kubernetes')

    const written: unknown = JSON.parse(etcdConfiguration(spec, layoutOf('nodeless')))

    expect(fieldAt(written, 'feature-gates')).toBe(gates)
  },
)
