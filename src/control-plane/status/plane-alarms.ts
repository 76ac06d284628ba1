import { backupProblem } from './backup-status.ts'
import { isEndingWithin, WARN_BEFORE_END_MS } from './certificate-ends.ts'
import type { EtcdMemberFigures, PlaneFigures } from './plane-figures.ts'

/** The reasons of alarms, each with the event reason for its end. */
const ENDS = {
  ComponentNotReady: 'ComponentReady',
  EtcdNoSpace: 'EtcdHasSpace',
  EtcdCorrupt: 'EtcdSound',
  EtcdNearQuota: 'EtcdHasRoom',
  CertificatesEnding: 'CertificatesRenewed',
  RenewalFailed: 'RenewalWorks',
  CredentialFailed: 'CredentialWorks',
  BackupOverdue: 'BackupInTime',
} as const

export type AlarmReason = keyof typeof ENDS

export interface PlaneAlarm {
  reason: AlarmReason
  /** A component, an etcd member, `certificates`, `backup`, or an entry of `credentials`. */
  subject: string
  message: string
  since: Date
}

/** The event reason for the end of an alarm: `ComponentReady`. */
export function endOf(reason: AlarmReason): (typeof ENDS)[AlarmReason] {
  return ENDS[reason]
}

/** Whether a text is the reason of an alarm. */
export function isAlarmReason(text: unknown): text is AlarmReason {
  return typeof text === 'string' && Object.hasOwn(ENDS, text)
}

/** The share of its quota from which a database raises an alarm, and down to which the alarm remains. */
const NEAR_QUOTA = { from: 0.8, downTo: 0.75 }

/** How long a component may take to become ready, at its first start or after a change of the plane, in milliseconds. */
const START_MS = 60_000

export interface PreviousObservations {
  alarms: readonly PlaneAlarm[]
  /** When the observation began, or the plane last started after a pause. */
  since: Date
  /** Components that were up since then, and that no change has stopped since. */
  observedUp: ReadonlySet<string>
  /** Components that are down, and since when. */
  downSince: ReadonlyMap<string, Date>
}

/** The alarms of a plane that is to run, the most severe first. If a figure is unknown now, its alarms remain. */
export function alarmsOf(
  figures: PlaneFigures,
  former: PreviousObservations,
  now: Date,
): PlaneAlarm[] {
  const found = [
    ...componentAlarms(figures, former, now),
    ...etcdAlarms(figures, former),
    ...certificateAlarms(figures, now),
    ...renewalAlarms(figures, former),
    ...credentialAlarms(figures, former),
    ...backupAlarms(figures, former, now),
  ]
  return found.map((alarm) => ({ ...alarm, since: sinceOf(alarm, former) ?? now }))
}

type Found = Omit<PlaneAlarm, 'since'>

function componentAlarms(
  { components }: PlaneFigures,
  former: PreviousObservations,
  now: Date,
): Found[] {
  const { downSince, observedUp } = former
  const isLongDown = (name: string) =>
    now.getTime() - (downSince.get(name) ?? now).getTime() >= START_MS
  return components
    .filter(({ isUp }) => !isUp)
    .map(({ name, reason }): Found => ({
      reason: 'ComponentNotReady',
      subject: name,
      message: reason === undefined ? `${name} does not work` : `${name}: ${reason}`,
    }))
    .filter(
      (alarm) =>
        observedUp.has(alarm.subject) ||
        isLongDown(alarm.subject) ||
        sinceOf(alarm, former) !== undefined,
    )
}

function etcdAlarms({ etcd }: PlaneFigures, former: PreviousObservations): Found[] {
  const retained = (reason: AlarmReason, subject: string) =>
    former.alarms.filter((alarm) => isSame(alarm, { reason, subject }))
  if (etcd === undefined) {
    return former.alarms.filter(({ reason }) => reason.startsWith('Etcd'))
  }
  return etcd.members.flatMap((member): Found[] => {
    const { alarms, database, instance: subject } = member
    const raised = (kind: string, found: Omit<Found, 'subject'>) => {
      if (alarms === undefined) {
        return retained(found.reason, subject)
      }
      return alarms.includes(kind) ? [{ ...found, subject }] : []
    }
    const formerNearQuota = retained('EtcdNearQuota', subject)
    return [
      ...raised('NOSPACE', {
        reason: 'EtcdNoSpace',
        message: `the database of ${subject} is full, and etcd accepts no writes: a repair frees space`,
      }),
      ...raised('CORRUPT', {
        reason: 'EtcdCorrupt',
        message: `the data of ${subject} differs from that of the other members: the plane needs a repair`,
      }),
      ...(database === undefined ? formerNearQuota : nearQuota(member, formerNearQuota.length > 0)),
    ]
  })
}

function nearQuota({ database, instance }: EtcdMemberFigures, wasNear: boolean): Found[] {
  const { quotaBytes = Infinity, sizeBytes = 0 } = database ?? {}
  const least = wasNear ? NEAR_QUOTA.downTo : NEAR_QUOTA.from
  const message = `the database of ${instance} exceeds ${NEAR_QUOTA.from * 100} % of its quota of ${quotaBytes} bytes`
  return sizeBytes > quotaBytes * least
    ? [{ reason: 'EtcdNearQuota', subject: instance, message }]
    : []
}

function certificateAlarms({ certificates }: PlaneFigures, now: Date): Found[] {
  const ending = certificates.filter(({ expiresAt }) =>
    isEndingWithin(WARN_BEFORE_END_MS, expiresAt, now),
  )
  if (ending.length === 0) {
    return []
  }
  const ends = ending.flatMap(({ expiresAt }) => (expiresAt === undefined ? [] : [+expiresAt]))
  const first = new Date(Math.min(...ends)).toISOString()
  const message = `these expire within 30 days, the first one ${first}: ${ending.map(({ name }) => name).join(', ')}`
  return [{ reason: 'CertificatesEnding', subject: 'certificates', message }]
}

function renewalAlarms({ renewal }: PlaneFigures, { alarms }: PreviousObservations): Found[] {
  if (renewal === undefined) {
    return alarms.filter(({ reason }) => reason === 'RenewalFailed')
  }
  if (renewal.failure === undefined) {
    return []
  }
  const message = `certificates cannot be renewed: ${renewal.failure}`
  return [{ reason: 'RenewalFailed', subject: 'certificates', message }]
}

function credentialAlarms(
  { credentials }: PlaneFigures,
  { alarms }: PreviousObservations,
): Found[] {
  return credentials === undefined
    ? alarms.filter(({ reason }) => reason === 'CredentialFailed')
    : credentials.failures.map(({ entry: subject, message }) => ({
        reason: 'CredentialFailed',
        subject,
        message,
      }))
}

function backupAlarms(
  { backup }: PlaneFigures,
  { since }: PreviousObservations,
  now: Date,
): Found[] {
  // The keeper reports a failure at once, without an alarm.
  const isOverdue =
    backup !== undefined &&
    backup.failure === undefined &&
    backupProblem(backup, { createdAt: since, now }) !== undefined
  const { nextAt = since } = backup ?? {}
  const message = `a backup was due ${nextAt.toISOString()}, and is missing`
  return isOverdue ? [{ reason: 'BackupOverdue', subject: 'backup', message }] : []
}

function sinceOf(alarm: Pick<Found, 'reason' | 'subject'>, { alarms }: PreviousObservations) {
  return alarms.find((one) => isSame(one, alarm))?.since
}

/** Whether two alarms have the same reason and subject. */
export function isSame(
  one: Pick<PlaneAlarm, 'reason' | 'subject'>,
  other: Pick<PlaneAlarm, 'reason' | 'subject'>,
): boolean {
  return one.reason === other.reason && one.subject === other.subject
}
