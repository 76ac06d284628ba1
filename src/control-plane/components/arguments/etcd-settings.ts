import { VplaneError } from '../../../shared/errors.ts'
import type { ExtraArguments } from '../../spec/spec.ts'
import { refuseManaged } from './merge-arguments.ts'

interface SettingType {
  wanted: string
  /** Converts the text of a flag; undefined if it is not of this type. */
  read: (text: string) => unknown
  names: readonly string[]
}

const NUMBERS: SettingType = {
  wanted: 'a whole number',
  read: (text) => (/^\d{1,15}$/.test(text) ? Number(text) : undefined),
  names: [
    'auth-token-ttl',
    'backend-batch-limit',
    'bcrypt-cost',
    'bootstrap-defrag-threshold-megabytes',
    'compaction-batch-limit',
    'distributed-tracing-sampling-rate',
    'election-timeout',
    'heartbeat-interval',
    'max-concurrent-streams',
    'max-learners',
    'max-request-bytes',
    'max-snapshots',
    'max-txn-ops',
    'max-wals',
    'quota-backend-bytes',
    'snapshot-catchup-entries',
    'snapshot-count',
  ],
}

const BOOLEANS: SettingType = {
  wanted: 'true or false',
  read: (text) => (/^(true|false)$/.test(text) ? text === 'true' : undefined),
  names: [
    'enable-distributed-tracing',
    'enable-log-rotation',
    'enable-pprof',
    'initial-election-tick-advance',
    'memory-mlock',
    'pre-vote',
    'strict-reconfig-check',
  ],
}

const DURATIONS: SettingType = {
  wanted: 'a duration such as 500ms or 1m30s',
  read: nanoseconds,
  names: [
    'backend-batch-interval',
    'compact-hash-check-time',
    'compaction-sleep-interval',
    'corrupt-check-time',
    'downgrade-check-time',
    'grpc-keepalive-interval',
    'grpc-keepalive-min-time',
    'grpc-keepalive-timeout',
    'warning-apply-duration',
    'warning-unary-request-duration',
    'watch-progress-notify-interval',
  ],
}

const TEXTS: SettingType = {
  wanted: 'text',
  read: (text) => text,
  names: [
    'auth-token',
    'auto-compaction-mode',
    'auto-compaction-retention',
    'backend-bbolt-freelist-type',
    'cors',
    'distributed-tracing-address',
    'distributed-tracing-instance-id',
    'distributed-tracing-service-name',
    'feature-gates',
    'host-whitelist',
    'listen-metrics-urls',
    'log-format',
    'log-level',
    'log-rotation-config-json',
    'logger',
    'metrics',
    'tls-max-version',
    'tls-min-version',
  ],
}

const LISTS: SettingType = {
  wanted: 'a list',
  read: (text) => text.split(','),
  names: ['cipher-suites', 'log-outputs'],
}

/** The settings of etcd 3.6 that a spec can contain. */
const SETTINGS = [NUMBERS, BOOLEANS, DURATIONS, TEXTS, LISTS]

/** Flags whose setting has another name in the file, or that would change the place of a plane's data or certificates. */
const MANAGED_FLAGS =
  /^(auto-tls|(client-)?(cert|key)-file|client-(cert-allowed-hostname|cert-auth|crl-file)|config-file|discovery.*|enable-grpc-gateway|force-new-cluster|listen-client-http-urls|peer-.*|trusted-ca-file|wal-dir)$/

const NANOSECONDS = { ns: 1, us: 1e3, µs: 1e3, ms: 1e6, s: 1e9, m: 60e9, h: 3600e9 }

/**
 * Converts a user's etcd flags to typed settings of its configuration file: etcd ignores unknown names there, and
 * exits on a wrong type without naming the setting.
 * @throws {VplaneError} `INVALID_SPEC` when a flag is managed or unknown, or its value is not of its type.
 */
export function etcdSettings(
  user: ExtraArguments,
  managed: readonly string[],
): Record<string, unknown> {
  const flags = Object.keys(user).filter((name) => MANAGED_FLAGS.test(name))
  refuseManaged('etcd', [...managed, ...flags], user)
  return Object.fromEntries(
    Object.entries(user).map(([name, value]) => [name, typed(name, [value].flat())]),
  )
}

function typed(name: string, values: readonly string[]): unknown {
  const text = values.join(',')
  const { read, wanted } = typeOf(name)
  const value = read(text)
  if (value === undefined) {
    throw new VplaneError('INVALID_SPEC', `etcd.extraArgs.${name} is "${text}", not ${wanted}`)
  }
  return value
}

function typeOf(name: string): SettingType {
  const type = SETTINGS.find(({ names }) => names.includes(name))
  if (type === undefined) {
    const message = `etcd.extraArgs may not set "--${name}": etcd has no such setting`
    throw new VplaneError('INVALID_SPEC', message, {
      hints: ['the settings are those of etcd 3.6, without experimental ones'],
    })
  }
  return type
}

/** A duration of Go in nanoseconds, as in Go's JSON; undefined for any other text. */
function nanoseconds(text: string): number | undefined {
  if (!/^(\d{1,9}(\.\d{1,9})?(ns|us|µs|ms|s|m|h))+$/.test(text)) {
    return undefined
  }
  const parts = [...text.matchAll(/([\d.]+)(ns|us|µs|ms|s|m|h)/g)]
  return parts.reduce((sum, [, amount, unit]) => {
    const factor = Object.entries(NANOSECONDS).find(([name]) => name === unit)?.[1] ?? 0
    return sum + Math.round(Number(amount) * factor)
  }, 0)
}
