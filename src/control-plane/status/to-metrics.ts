import type { Metric, Sample } from '../../shared/text/format-metrics.ts'
import type { BackupStatus } from './backup-status.ts'
import type { EtcdFigures, EtcdMemberFigures, PlaneFigures } from './plane-figures.ts'

/** The alarms of etcd, which have a sample whether they are raised or not. */
const ALARMS = ['NOSPACE', 'CORRUPT']

/** Converts measurements of a plane to Prometheus metrics, the same for every source of the measurements. */
export function toMetrics(plane: string, figures: PlaneFigures, now: Date): Metric[] {
  const { backup, certificates, components, etcd, isApiReady } = figures
  const labelled = (labels: Record<string, string>, value: number | boolean): Sample => ({
    labels: { plane, ...labels },
    value: Number(value),
  })
  return [
    gauge(
      'component_up',
      'Whether a component of the plane works.',
      components.map(({ isUp, name }) => labelled({ component: name }, isUp)),
    ),
    gauge('kube_apiserver_ready', "Whether the plane's API says that it is ready.", [
      labelled({}, isApiReady),
    ]),
    ...(etcd === undefined ? [] : etcdMetrics(etcd, labelled)),
    gauge(
      'certificate_remaining_seconds',
      'How long a certificate of the plane lasts.',
      certificates.flatMap(({ expiresAt, name }) =>
        expiresAt === undefined
          ? []
          : [labelled({ certificate: name }, secondsBetween(now, expiresAt))],
      ),
    ),
    ...(backup === undefined ? [] : backupMetrics(backup, now, labelled)),
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
    gauge('etcd_members', 'How many members etcd is to have.', [labelled({}, members.length)]),
    gauge(
      'etcd_member_up',
      'Whether a member of etcd has a vote and knows who leads.',
      each(({ isWorking }) => isWorking),
    ),
    gauge(
      'etcd_leader',
      'Whether a member of etcd leads.',
      each(({ isLeading }) => isLeading),
    ),
    gauge(
      'etcd_database_size_bytes',
      'Size of the database of a member of etcd.',
      each(({ database }) => database?.sizeBytes),
    ),
    gauge(
      'etcd_database_in_use_bytes',
      'How much of the database of a member of etcd holds something.',
      each(({ database }) => database?.inUseBytes),
    ),
    gauge(
      'etcd_database_quota_bytes',
      'How large the database of a member of etcd may become.',
      each(({ database }) => database?.quotaBytes),
    ),
    gauge(
      'etcd_alarm',
      'Whether a member of etcd has raised an alarm.',
      members.flatMap(({ alarms, instance }) =>
        alarms === undefined
          ? []
          : ALARMS.map((alarm) => labelled({ member: instance, alarm }, alarms.includes(alarm))),
      ),
    ),
  ]
}

function backupMetrics(
  { failure, last, nextAt }: BackupStatus,
  now: Date,
  labelled: Labelled,
): Metric[] {
  const maybe = (value: number | undefined) => (value === undefined ? [] : [labelled({}, value)])
  return [
    gauge('backup_failures', 'How often in a row a backup has failed.', [
      labelled({}, failure?.count ?? 0),
    ]),
    gauge(
      'backup_last_success_timestamp_seconds',
      'When the last backup was taken.',
      maybe(secondsOf(last?.at)),
    ),
    gauge(
      'backup_age_seconds',
      'How long ago the last backup was taken.',
      maybe(last && secondsBetween(last.at, now)),
    ),
    gauge('backup_last_success_size_bytes', 'Size of the last backup.', maybe(last?.sizeBytes)),
    gauge(
      'backup_next_timestamp_seconds',
      'When the next backup is due.',
      maybe(secondsOf(nextAt)),
    ),
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
