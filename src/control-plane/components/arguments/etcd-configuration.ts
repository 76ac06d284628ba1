import type { ExtraArguments, PlaneSpec } from '../../spec/spec.ts'
import { startSettings } from './etcd-start-settings.ts'
import { etcdSettings } from './etcd-settings.ts'
import type { Layout } from './layout.ts'

/**
 * A member alone elects itself after up to one election timeout, which is a second by default: everything waits for it.
 * Nobody else hears its heartbeats. A quarter of that took 0.2 s to be ready instead of 0.5 s, means of 8.
 */
const ALONE = { 'heartbeat-interval': 50, 'election-timeout': 250 }

/**
 * The configuration file of an etcd member, as JSON (which is YAML). etcd ignores every flag and `ETCD_` variable
 * beside `--config-file` (etcd.io/docs/v3.6/op-guide/configuration), so the user's extraArgs are part of it.
 *
 * @throws {VplaneError} `INVALID_SPEC` when extraArgs name a managed or unknown setting.
 */
export function etcdConfiguration(spec: PlaneSpec, { etcd, pkiFolder }: Layout): string {
  const members = etcd.members ?? [etcd]
  // A member that has lost its data would come back as who it was, and vote without knowing what it agreed to.
  const told = etcd.initialState === 'new' ? members : (etcd.joins ?? [etcd])
  const managed = {
    name: etcd.name,
    'data-dir': etcd.dataFolder,
    'listen-client-urls': `https://${etcd.listenClient}`,
    'listen-client-http-urls': etcd.listenHttp,
    'advertise-client-urls': `https://${etcd.advertiseClient}`,
    'listen-peer-urls': `https://${etcd.listenPeer}`,
    ...(etcd.listenMetrics === undefined ? {} : { 'listen-metrics-urls': etcd.listenMetrics }),
    'initial-advertise-peer-urls': `https://${etcd.advertisePeer}`,
    ...startSettings(etcd.initialState, told),
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
    // One of several has to know what it agreed to, whatever becomes of its machine.
    'unsafe-no-fsync': spec.ephemeral && members.length === 1,
  }
  const defaults = {
    'snapshot-count': 10_000,
    'quota-backend-bytes': etcd.quotaBytes ?? 2 * 1024 ** 3,
    'log-level': 'warn',
    ...(members.length === 1 && !saysTimes(spec.etcd.extraArgs) ? ALONE : {}),
  }
  const user = etcdSettings(spec.etcd.extraArgs, Object.keys(managed))
  return `${JSON.stringify({ ...defaults, ...user, ...managed }, null, 2)}\n`
}

/** The two depend on each other: who says one of them means both. */
function saysTimes(extraArgs: ExtraArguments): boolean {
  return Object.keys(ALONE).some((name) => Object.hasOwn(extraArgs, name))
}
