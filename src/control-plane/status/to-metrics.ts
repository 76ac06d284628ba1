import type { Metric, Sample } from '../../shared/text/format-metrics.ts'
import type { Wake, WakeStatus } from './wake-status.ts'
import type { BackupStatus } from './backup-status.ts'
import type {
  EtcdFigures,
  EtcdMemberFigures,
  OperationFigures,
  PlaneFigures,
} from './plane-figures.ts'

/** The alarms of etcd. Each has a sample, also when it is not raised. */
const ALARMS = ['NOSPACE', 'CORRUPT']

/** The labels of each sample of a plane. */
export type PlaneLabels = Readonly<{
  /** Its name. */
  plane: string
  /** Where metrics are about planes of several namespaces. */
  namespace?: string
}>

/** Converts measurements of a plane to Prometheus metrics, the same for every source of the measurements. */
export function toMetrics(plane: PlaneLabels, figures: PlaneFigures, now: Date): Metric[] {
  const { backup, certificates, components, etcd, isApiReady, operation, wakes } = figures
  const labelled = (labels: Record<string, string>, value: number | boolean): Sample => ({
    labels: { ...plane, ...labels },
    value: Number(value),
  })
  return [
    gauge(
      'component_up',
      'Whether the component works.',
      components.map(({ isUp, name }) => labelled({ component: name }, isUp)),
    ),
    gauge('kube_apiserver_ready', "Whether the plane's API reports that it is ready.", [
      labelled({}, isApiReady),
    ]),
    ...(etcd === undefined ? [] : etcdMetrics(etcd, labelled)),
    gauge(
      'certificate_remaining_seconds',
      'Time until the certificate expires.',
      certificates.flatMap(({ expiresAt, name }) =>
        expiresAt === undefined
          ? []
          : [labelled({ certificate: name }, secondsBetween(now, expiresAt))],
      ),
    ),
    ...(backup === undefined ? [] : backupMetrics(backup, now, labelled)),
    ...(wakes === undefined ? [] : wakeMetrics(wakes, labelled)),
    ...(operation === undefined ? [] : operationMetrics(operation, labelled)),
  ]
}

type Labelled = (labels: Record<string, string>, value: number | boolean) => Sample

function etcdMetrics({ members }: EtcdFigures, labelled: Labelled): Metric[] {
  const each = (valueOf: (member: EtcdMemberFigures) => number | boolean | undefined) =>
    members.flatMap((member) => {
      const value = valueOf(member)
      return value === undefined ? [] : [labelled({ member: member.instance }, value)]
    })
  return [
    gauge('etcd_members', 'Number of etcd members that the plane should have.', [
      labelled({}, members.length),
    ]),
    gauge(
      'etcd_member_up',
      'Whether the etcd member can vote and knows the leader.',
      each(({ isWorking }) => isWorking),
    ),
    gauge(
      'etcd_leader',
      'Whether the etcd member is the leader.',
      each(({ isLeading }) => isLeading),
    ),
    gauge(
      'etcd_database_size_bytes',
      'Size of the database of the etcd member.',
      each(({ database }) => database?.sizeBytes),
    ),
    gauge(
      'etcd_database_in_use_bytes',
      'Used part of the database of the etcd member.',
      each(({ database }) => database?.inUseBytes),
    ),
    gauge(
      'etcd_database_quota_bytes',
      'Maximum size of the database of the etcd member.',
      each(({ database }) => database?.quotaBytes),
    ),
    gauge(
      'etcd_alarm',
      'Whether the etcd member has raised the alarm.',
      members.flatMap(({ alarms, instance }) =>
        alarms === undefined
          ? []
          : ALARMS.map((alarm) => labelled({ member: instance, alarm }, alarms.includes(alarm))),
      ),
    ),
  ]
}

function operationMetrics(
  { isInterrupted, kind, since }: OperationFigures,
  labelled: Labelled,
): Metric[] {
  const operation = { operation: kind }
  return [
    gauge('operation_interrupted', 'Whether the operation on the plane was interrupted.', [
      labelled(operation, isInterrupted),
    ]),
    gauge('operation_start_timestamp_seconds', 'Time when the operation on the plane began.', [
      labelled(operation, since.getTime() / 1000),
    ]),
  ]
}

function backupMetrics(
  { failure, last, nextAt }: BackupStatus,
  now: Date,
  labelled: Labelled,
): Metric[] {
  const maybe = (value: number | undefined) => (value === undefined ? [] : [labelled({}, value)])
  return [
    gauge('backup_failures', 'Number of backups that failed since the last success.', [
      labelled({}, failure?.count ?? 0),
    ]),
    gauge(
      'backup_last_success_timestamp_seconds',
      'Time of the last backup.',
      maybe(secondsOf(last?.at)),
    ),
    gauge(
      'backup_age_seconds',
      'Time since the last backup.',
      maybe(last && secondsBetween(last.at, now)),
    ),
    gauge('backup_last_success_size_bytes', 'Size of the last backup.', maybe(last?.sizeBytes)),
    gauge('backup_next_timestamp_seconds', 'Time of the next backup.', maybe(secondsOf(nextAt))),
  ]
}

function wakeMetrics({ count, recent, staysAwake }: WakeStatus, labelled: Labelled): Metric[] {
  const ofLast = (valueOf: (wake: Wake) => number) =>
    recent.slice(-1).map((wake) => {
      const { serverName = '', source } = wake
      return labelled({ by: source?.name ?? '', server_name: serverName }, valueOf(wake))
    })
  return [
    {
      name: 'vplane_wakes_total',
      type: 'counter',
      help: 'Number of times that a client that connected woke the plane.',
      samples: [labelled({}, count)],
    },
    gauge(
      'last_wake_timestamp_seconds',
      'Time of the last wake by a client that connected.',
      ofLast(({ at }) => at.getTime() / 1000),
    ),
    gauge(
      'last_wake_duration_seconds',
      'How long the client that woke the plane last waited for its API.',
      ofLast(({ ms }) => ms / 1000),
    ),
    gauge('stays_awake', 'Whether the plane does not pause itself although nobody uses it.', [
      labelled({}, staysAwake !== undefined),
    ]),
  ]
}

function gauge(name: string, help: string, samples: Sample[]): Metric {
  return { name: `vplane_${name}`, type: 'gauge', help, samples }
}

function secondsOf(date: Date | undefined): number | undefined {
  return date && date.getTime() / 1000
}

function secondsBetween(from: Date, to: Date): number {
  return Math.round((to.getTime() - from.getTime()) / 1000)
}
