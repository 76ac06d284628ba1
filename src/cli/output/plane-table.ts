import { isReadable } from '../../control-plane/plane/unreadable-plane.ts'
import { isOutdated, type Plane } from '../../control-plane/plane/plane.ts'
import { formatAge } from '../../shared/text/duration.ts'
import type { Listed } from '../results/plane-result.ts'
import type { Watched } from './watch-planes.ts'
import { formatTable } from './table.ts'

const COLUMNS = [
  'name',
  'driver',
  'namespace',
  'status',
  'version',
  'vplane',
  'connected',
  'tunnel',
  'certs',
  'age',
  'labels',
  'server',
  'reason',
] as const

/** Columns that a narrow terminal omits, in this order. */
const OPTIONAL = ['vplane', 'certs', 'driver', 'connected', 'version', 'tunnel'] as const

const WIDE: readonly string[] = ['labels', 'server', 'reason']

export interface PlaneTableOptions {
  /** With the columns of `list -o wide`. @default false */
  isWide?: boolean
  now: Date
  /** Columns of the terminal; undefined without one. */
  width: number | undefined
}

/** Planes as people see them in `list`. */
export function planeTable(
  listed: readonly Watched[],
  { isWide = false, now, width }: PlaneTableOptions,
): string {
  const rows = listed.map(({ isConnected, isDeleted, plane, status, tunnel }) => {
    const stored = isReadable(plane) ? plane : undefined
    return {
      name: plane.name,
      driver: plane.driver,
      namespace: plane.namespace ?? '',
      status: isDeleted === true ? 'Deleted' : status.phase,
      version: stored?.spec.version ?? '',
      vplane: stored !== undefined && isOutdated(stored) ? makerOf(stored) : '',
      connected: isConnected ? 'yes' : '',
      tunnel: tunnelWord(tunnel),
      certs: timeLeft(status.certificatesExpireAt, now),
      age: stored === undefined ? '' : formatAge(stored.createdAt, now),
      labels: labelWords(plane).join(','),
      server: status.server ?? '',
      reason: status.reason ?? '',
    }
  })
  const hasTunnels = listed.some(({ tunnel }) => tunnel !== undefined)
  const hasLabels = rows.some(({ labels }) => labels !== '')
  const hasOutdated = rows.some(({ vplane }) => vplane !== '')
  const columns = COLUMNS.filter(
    (column) =>
      (column !== 'tunnel' || hasTunnels) &&
      (column !== 'vplane' || hasOutdated) &&
      (column !== 'labels' || hasLabels) &&
      (isWide || !WIDE.includes(column)),
  )
  return formatTable(columns, rows, { width, optional: OPTIONAL })
}

/** The vplane whose templates and flags a plane has. */
function makerOf({ madeBy, writtenBy }: Plane): string {
  return madeBy ?? writtenBy
}

/** The labels of a plane, each as `team=shop`. */
export function labelWords(plane: Listed['plane']): string[] {
  const labels = isReadable(plane) ? (plane.userSpec.labels ?? {}) : {}
  return Object.entries(labels).map((label) => label.join('='))
}

/** `127.0.0.1:21443`, with what is wrong about it. */
export function tunnelWord(tunnel: Listed['tunnel']): string {
  if (tunnel === undefined) {
    return ''
  }
  const { address, isUp, problem } = tunnel
  return problem === undefined && isUp ? address : `${address} (${problem ?? 'stopped'})`
}

/** `364d`, or `expired`; empty when there are none. */
export function timeLeft(end: Date | undefined, now: Date): string {
  if (end === undefined) {
    return ''
  }
  return end <= now ? 'expired' : formatAge(now, end)
}
