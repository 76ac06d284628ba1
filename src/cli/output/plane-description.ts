import { isReadable } from '../../control-plane/plane/unreadable-plane.ts'
import type { BackupStatus } from '../../control-plane/status/backup-status.ts'
import type { PlaneAlarm } from '../../control-plane/status/plane-alarms.ts'
import type {
  NetworkPolicyEffect,
  OperationStatus,
  PlaneEvent,
} from '../../control-plane/status/plane-status.ts'
import type { WakeStatus } from '../../control-plane/status/wake-status.ts'
import type { PlaneReference } from '../../control-plane/plane/plane.ts'
import { ROTATION_WORDS } from '../../control-plane/rotation/rotation-words.ts'
import type { UnfinishedRotation } from '../../control-plane/use-cases/find/unfinished-rotations.ts'
import { formatYaml } from '../../shared/yaml/yaml.ts'
import { formatAge, formatSeconds } from '../../shared/text/duration.ts'
import { formatBytes } from './format-bytes.ts'
import { hintText, hintTexts, planeWords } from '../catalog/hint-text.ts'
import { harmlessText } from '../terminal/harmless-text.ts'
import { wrap } from '../terminal/wrap.ts'
import type { Listed } from '../results/plane-result.ts'
import { labelWords, timeLeft, tunnelWord } from './plane-table.ts'
import { formatTable } from './table.ts'
import { versionWords } from './version-words.ts'

/** How many events `describe` shows: a change of a plane has a hundred on a host. */
const LAST_EVENTS = 20

const LABEL = 14

/** Columns that a value has beside its label, however narrow the terminal is. */
const LEAST_ROOM = 20

const POLICY_EFFECTS: Record<NetworkPolicyEffect, string> = {
  enforced: 'the host enforces NetworkPolicies',
  ignored:
    'none: the host does not enforce NetworkPolicies, so pods reach all that other pods of the host reach',
}

export interface Layout {
  now: Date
  /** Columns of the terminal; undefined without one. */
  width: number | undefined
}

/** A plane as people see it in `describe`. */
export function planeDescription(
  { isConnected, plane, rotations = [], status, tunnel }: Listed,
  layout: Layout,
): string {
  const { now, width } = layout
  const stored = isReadable(plane) ? plane : undefined
  const facts: Array<[string, string | undefined]> = [
    ['Name', plane.name],
    ['Driver', plane.driver],
    ['Namespace', plane.namespace],
    ['Host', plane.hostContext],
    ['Labels', labelWords(plane).join('\n') || undefined],
    ['Status', status.phase],
    ['Reason', status.reason],
    ['Operation', status.operation && operationLine(status.operation, now)],
    ['To do', status.hints && hintTexts(status.hints).join('\n')],
    ['Version', stored && versionWords(stored.spec)],
    ['Server', status.server],
    ['Endpoints', status.endpoints?.join('\n')],
    ['Connected', isConnected ? 'yes' : 'no'],
    ['Tunnel', tunnel && tunnelWord(tunnel)],
    [
      'Created',
      stored && `${stored.createdAt.toISOString()} (${formatAge(stored.createdAt, now)} ago)`,
    ],
    ['Certificates', expiry(status.certificatesExpireAt, now)],
    ['Rotations', rotationLines(rotations, plane)],
    ...backupFacts(status.backup, now),
    ['Last used', status.usedAt && `${formatAge(status.usedAt, now)} ago`],
    ...wakeFacts(status.wakes, now),
    ['Isolation', status.networkPolicies && POLICY_EFFECTS[status.networkPolicies]],
    ['Alarms', alarmLines(status.alarms ?? [], now)],
    ['Written by', stored && `vplane ${stored.writtenBy}`],
  ]
  const lines = facts.flatMap(([label, value]) =>
    value === undefined ? [] : [`${`${label}:`.padEnd(LABEL)}${plain(value, width)}`],
  )
  return [
    ...lines,
    ...(status.components.length > 0 ? ['', componentTable(status, layout)] : []),
    ...(status.events === undefined ? [] : ['', lastEvents(status.events, plane, layout)]),
    ...(stored === undefined
      ? []
      : ['', 'Spec:', indented(harmlessText(formatYaml(stored.userSpec)))]),
  ].join('\n')
}

/** An operation that is under way, or was interrupted, with what continues it. */
export function operationLine(
  { at, hints, holder, isInterrupted, kind, since, step }: OperationStatus,
  now: Date,
): string {
  const age = `${formatAge(at, now)} ago`
  const by = holder.replace(/_[^_]*$/, '')
  return isInterrupted
    ? [`${kind} was interrupted ${age}, at: ${step}`, ...hintTexts(hints)].join('\n')
    : `${kind} by ${by}, since ${formatAge(since, now)}: ${step}`
}

function backupFacts(
  backup: BackupStatus | undefined,
  now: Date,
): Array<[string, string | undefined]> {
  if (backup === undefined) {
    return []
  }
  const { failure, last, nextAt } = backup
  const age = (at: Date) => `${formatAge(at, now)} ago`
  return [
    ['Last backup', last ? `${last.id} (${formatBytes(last.sizeBytes)}, ${age(last.at)})` : 'none'],
    ['Last failure', failure && `a backup, ${age(failure.at)}: ${failure.reason}`],
    ['Next backup', nextAt?.toISOString()],
  ]
}

function wakeFacts(wakes: WakeStatus | undefined, now: Date): Array<[string, string | undefined]> {
  const last = wakes?.recent.at(-1)
  const stay = wakes?.staysAwake
  return [
    [
      'Last woken',
      last &&
        `${formatAge(last.at, now)} ago by ${last.source?.name ?? 'a client'}, in ${formatSeconds(last.ms)}`,
    ],
    ['Stays running', stay && `since ${formatAge(stay.since, now)}: ${stay.reason}`],
  ]
}

function rotationLines(
  rotations: readonly UnfinishedRotation[],
  plane: PlaneReference,
): string | undefined {
  const lines = rotations.map(({ isCutOff, keys, next }) => {
    const { what } = ROTATION_WORDS[keys]
    const stage = isCutOff ? `${next} was interrupted` : `next is ${next}`
    return `${what}: ${stage}: ${hintText({ action: `rotate-${keys}`, plane })}`
  })
  return lines.length === 0 ? undefined : lines.join('\n')
}

function alarmLines(alarms: readonly PlaneAlarm[], now: Date): string | undefined {
  const lines = alarms.map(
    ({ message, reason, since }) => `${reason}, since ${formatAge(since, now)}: ${message}`,
  )
  return lines.length === 0 ? undefined : lines.join('\n')
}

const COMPONENT_COLUMNS = [
  'component',
  'state',
  'ready',
  'instance',
  'image',
  'address',
  'age',
  'reason',
] as const

function componentTable({ components }: Listed['status'], { now, width }: Layout): string {
  const rows = components.map((component) => ({
    component: component.name,
    state: component.state,
    ready: component.replicas ? `${component.replicas.ready}/${component.replicas.wanted}` : '',
    image: component.image ?? '',
    instance: component.instance ?? '',
    address: component.address ?? '',
    age: component.startedAt === undefined ? '' : formatAge(component.startedAt, now),
    reason: component.reason ?? '',
  }))
  const isShown = (column: (typeof COMPONENT_COLUMNS)[number]) =>
    (column !== 'ready' && column !== 'image') || rows.some((row) => row[column] !== '')
  return formatTable(COMPONENT_COLUMNS.filter(isShown), rows, {
    width,
    optional: ['image', 'address', 'instance', 'age'],
  })
}

/** The last of what happened to a plane, and how to see all of it. */
function lastEvents(events: readonly PlaneEvent[], plane: Listed['plane'], layout: Layout): string {
  const left = events.length - LAST_EVENTS
  const table = eventTable(events.slice(-LAST_EVENTS), layout)
  return left > 0 ? `${table}\nAnd ${left} before these: vplane events ${planeWords(plane)}` : table
}

/** What happened to a plane, as people see it. */
export function eventTable(events: readonly PlaneEvent[], { now, width }: Layout): string {
  if (events.length === 0) {
    return 'No events in the last hour.'
  }
  const rows = events.map(({ at, count, level, message, object, reason }) => ({
    age: formatAge(at, now),
    level,
    reason,
    object,
    count: String(count),
    message,
  }))
  const columns = ['age', 'level', 'reason', 'object', 'count', 'message'] as const
  const table = formatTable(columns, rows, { width, optional: ['count', 'level'] })
  return `Events of the last hour:\n${table}`
}

function expiry(end: Date | undefined, now: Date): string | undefined {
  return end && `the first expires ${end.toISOString()} (${timeLeft(end, now)})`
}

/** Reasons quote logs, and logs quote users: nothing of it may steer the terminal. */
function plain(text: string, width: number | undefined): string {
  const room = width ? Math.max(width - LABEL, LEAST_ROOM) : Infinity
  return wrap(harmlessText(text), room).join(`\n${' '.repeat(LABEL)}`)
}

function indented(text: string): string {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => `  ${line}`)
    .join('\n')
}
