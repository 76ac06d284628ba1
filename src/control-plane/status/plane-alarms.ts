import { backupProblem } from './backup-status.ts'
import { isEndingWithin, WARN_BEFORE_END_MS } from './certificate-ends.ts'
import type { EtcdMemberFigures, PlaneFigures } from './plane-figures.ts'

/** What may be wrong with a plane, each with the word for its end. */
const ENDS = {
  ComponentNotReady: 'ComponentReady',
  EtcdNoSpace: 'EtcdHasSpace',
  EtcdCorrupt: 'EtcdSound',
  EtcdNearQuota: 'EtcdHasRoom',
  CertificatesEnding: 'CertificatesRenewed',
  RenewalFailed: 'RenewalWorks',
  BackupOverdue: 'BackupInTime',
} as const

export type AlarmReason = keyof typeof ENDS

/** Something that is wrong with a plane, since it was seen. */
export interface PlaneAlarm {
  reason: AlarmReason
  /** Of what: a component, a member of etcd, `certificates`, `backup`. */
  subject: string
  message: string
  since: Date
}

/** The word for the end of an alarm: `ComponentReady`. */
export function endOf(reason: AlarmReason): (typeof ENDS)[AlarmReason] {
  return ENDS[reason]
}

/** Tells whether a word is the reason of an alarm. */
export function isAlarmReason(text: unknown): text is AlarmReason {
  return typeof text === 'string' && Object.hasOwn(ENDS, text)
}

/** From which part of its quota on a database is an alarm, and down to which it stays one. */
const NEAR_QUOTA = { from: 0.8, downTo: 0.75 }

/** How long a component may take until it works for the first time, or again when a change of the plane has stopped it, in milliseconds. */
const START_MS = 60_000

/** What was known before a look. */
export interface PreviousObservations {
  alarms: readonly PlaneAlarm[]
  /** When looking began, or the plane last came back from rest. */
  since: Date
  /** Components that have worked since then, and that no change has stopped since. */
  observedUp: ReadonlySet<string>
  /** Those that do not work, and since when. */
  downSince: ReadonlyMap<string, Date>
}

/**
 * What is wrong with a plane that is to run, in the order of weight. What is not known now stays as it was known. Pure.
 */
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
  const kept = (reason: AlarmReason, subject: string) =>
    former.alarms.filter((alarm) => isSame(alarm, { reason, subject }))
  if (etcd === undefined) {
    return former.alarms.filter(({ reason }) => reason.startsWith('Etcd'))
  }
  return etcd.members.flatMap((member): Found[] => {
    const { alarms, database, instance: subject } = member
    const raised = (kind: string, found: Omit<Found, 'subject'>) =>
      alarms === undefined
        ? kept(found.reason, subject)
        : alarms.includes(kind)
          ? [{ ...found, subject }]
          : []
    return [
      ...raised('NOSPACE', {
        reason: 'EtcdNoSpace',
        message: `the database of ${subject} is full, and etcd takes no writes: a repair makes room`,
      }),
      ...raised('CORRUPT', {
        reason: 'EtcdCorrupt',
        message: `the data of ${subject} differs from that of the others: the plane has to be repaired`,
      }),
      ...(database === undefined
        ? kept('EtcdNearQuota', subject)
        : nearQuota(member, kept('EtcdNearQuota', subject).length > 0)),
    ]
  })
}

function nearQuota({ database, instance }: EtcdMemberFigures, wasNear: boolean): Found[] {
  const { quotaBytes = Infinity, sizeBytes = 0 } = database ?? {}
  const least = wasNear ? NEAR_QUOTA.downTo : NEAR_QUOTA.from
  return sizeBytes > quotaBytes * least
    ? [
        {
          reason: 'EtcdNearQuota',
          subject: instance,
          message: `the database of ${instance} is past ${NEAR_QUOTA.from * 100} % of its quota of ${quotaBytes} bytes`,
        },
      ]
    : []
}

function certificateAlarms({ certificates }: PlaneFigures, now: Date): Found[] {
  const ending = certificates.filter(({ expiresAt }) =>
    isEndingWithin(WARN_BEFORE_END_MS, expiresAt, now),
  )
  const ends = ending.flatMap(({ expiresAt }) => (expiresAt === undefined ? [] : [+expiresAt]))
  const names = ending.map(({ name }) => name).join(', ')
  return ending.length === 0
    ? []
    : [
        {
          reason: 'CertificatesEnding',
          subject: 'certificates',
          message: `these end within 30 days, the first ${new Date(Math.min(...ends)).toISOString()}: ${names}`,
        },
      ]
}

function renewalAlarms({ renewal }: PlaneFigures, { alarms }: PreviousObservations): Found[] {
  if (renewal === undefined) {
    return alarms.filter(({ reason }) => reason === 'RenewalFailed')
  }
  const { failure } = renewal
  return failure === undefined
    ? []
    : [
        {
          reason: 'RenewalFailed',
          subject: 'certificates',
          message: `certificates cannot be issued anew: ${failure}`,
        },
      ]
}

function backupAlarms(
  { backup }: PlaneFigures,
  { since }: PreviousObservations,
  now: Date,
): Found[] {
  // One that fails is told about when it does.
  const isOverdue =
    backup !== undefined &&
    backup.failure === undefined &&
    backupProblem(backup, { createdAt: since, now }) !== undefined
  const { nextAt = since } = backup ?? {}
  return isOverdue
    ? [
        {
          reason: 'BackupOverdue',
          subject: 'backup',
          message: `a backup was due ${nextAt.toISOString()}, and is not done`,
        },
      ]
    : []
}

function sinceOf(alarm: Pick<Found, 'reason' | 'subject'>, { alarms }: PreviousObservations) {
  return alarms.find((one) => isSame(one, alarm))?.since
}

/** Tells whether two alarms are about the same, whatever they say of it. */
export function isSame(
  one: Pick<PlaneAlarm, 'reason' | 'subject'>,
  other: Pick<PlaneAlarm, 'reason' | 'subject'>,
): boolean {
  return one.reason === other.reason && one.subject === other.subject
}
