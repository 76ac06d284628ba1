import { omitUndefined } from '../../../shared/omit-undefined.ts'
import type { ExtraArguments, PlaneSpec } from '../../spec/spec.ts'
import { etcdSettings } from './etcd-settings.ts'
import { startSettings } from './etcd-start-settings.ts'
import type { Layout } from './layout.ts'

/**
 * A single member elects itself after up to one election timeout, a second by default, and all components wait for it. No
 * other member needs its heartbeats. With a quarter of the timeout it was ready after 0.2 s instead of 0.5 s, means of 8.
 */
const SINGLE_MEMBER_TIMES = { 'heartbeat-interval': 50, 'election-timeout': 250 }

/**
 * The configuration file of an etcd member, as JSON (which is YAML). etcd ignores every flag and `ETCD_` variable
 * beside `--config-file` (etcd.io/docs/v3.6/op-guide/configuration), so the user's extraArgs are part of it.
 * @throws {VplaneError} `INVALID_SPEC` when extraArgs name a managed or unknown setting.
 */
export function etcdConfiguration(spec: PlaneSpec, { etcd, pkiFolder }: Layout): string {
  const members = etcd.members ?? [etcd]
  // With all members, one that lost its data would return with its old identity, and vote without knowing its past votes.
  const known = etcd.initialState === 'new' ? members : (etcd.joins ?? [etcd])
  const managed = omitUndefined({
    name: etcd.name,
    'data-dir': etcd.dataFolder,
    'listen-client-urls': `https://${etcd.listenClient}`,
    'listen-client-http-urls': etcd.listenHttp,
    'advertise-client-urls': `https://${etcd.advertiseClient}`,
    'listen-peer-urls': `https://${etcd.listenPeer}`,
    'listen-metrics-urls': etcd.listenMetrics,
    'initial-advertise-peer-urls': `https://${etcd.advertisePeer}`,
    ...startSettings(etcd.initialState, known),
    'initial-cluster-token': etcd.token,
    'client-transport-security': {
      'cert-file': `${pkiFolder}/etcd/server.crt`,
      'key-file': `${pkiFolder}/etcd/server.key`,
      'client-cert-auth': true,
      'trusted-ca-file': `${pkiFolder}/etcd/ca.crt`,
    },
    'peer-transport-security': {
      'cert-file': `${pkiFolder}/etcd/peer.crt`,
      'key-file': `${pkiFolder}/etcd/peer.key`,
      'client-cert-auth': true,
      'trusted-ca-file': `${pkiFolder}/etcd/ca.crt`,
      'skip-client-san-verification': true,
    },
    // One of several members must not forget its votes when its machine crashes.
    'unsafe-no-fsync': spec.ephemeral && members.length === 1,
  })
  const defaults = {
    'snapshot-count': 10_000,
    'quota-backend-bytes': etcd.quotaBytes ?? 2 * 1024 ** 3,
    'log-level': 'warn',
    ...(members.length === 1 && !setsTimes(spec.etcd.extraArgs) ? SINGLE_MEMBER_TIMES : {}),
  }
  const user = etcdSettings(spec.etcd.extraArgs, Object.keys(managed))
  const gates = featureGates(spec, user['feature-gates'])
  return `${JSON.stringify({ ...defaults, ...user, ...gates, ...managed }, null, 2)}\n`
}

/**
 * A member whose data differs raises an alarm after the next compaction. etcd's other check, when members start, delays
 * the start of several members by 14 seconds, as each waits for the others (.github/decisions/0014).
 */
function featureGates({ host }: PlaneSpec, user: unknown): Record<string, string> {
  const gate = 'CompactHashCheck'
  const own = typeof user === 'string' && user !== '' ? [user] : []
  const isSet = own.some((gates) => gates.includes(`${gate}=`))
  return host?.etcd.compactHashCheck === true && !isSet
    ? { 'feature-gates': [`${gate}=true`, ...own].join(',') }
    : {}
}

/** The two times depend on each other, so a user who sets one gets etcd's default for the other. */
function setsTimes(extraArgs: ExtraArguments): boolean {
  return Object.keys(SINGLE_MEMBER_TIMES).some((name) => Object.hasOwn(extraArgs, name))
}
