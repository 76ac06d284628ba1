import { isReadable } from '../../control-plane/plane/unreadable-plane.ts'
import { isOutdated, type Plane } from '../../control-plane/plane/plane.ts'
import { formatAge } from '../../shared/text/format-age.ts'
import type { Listed } from '../results/plane-result.ts'
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
] as const

/** Planes as people see them in `list`. */
export function planeTable(
  listed: readonly Listed[],
  { now, width }: { now: Date; width: number | undefined },
): string {
  const rows = listed.map(({ isConnected, plane, status, tunnel }) => {
    const stored = isReadable(plane) ? plane : undefined
    return {
      name: plane.name,
      driver: plane.driver,
      namespace: plane.namespace ?? '',
      status: status.phase,
      version: stored?.spec.version ?? '',
      vplane: stored !== undefined && isOutdated(stored) ? makerOf(stored) : '',
      connected: isConnected ? 'yes' : '',
      tunnel: tunnelWord(tunnel),
      certs: timeLeft(status.certificatesExpireAt, now),
      age: stored === undefined ? '' : formatAge(stored.createdAt, now),
    }
  })
  const hasTunnels = listed.some(({ tunnel }) => tunnel !== undefined)
  const hasOutdated = rows.some(({ vplane }) => vplane !== '')
  const columns = COLUMNS.filter(
    (column) => (column !== 'tunnel' || hasTunnels) && (column !== 'vplane' || hasOutdated),
  )
  return formatTable(columns, rows, { width })
}

/** The vplane by whose templates and flags a plane runs. */
function makerOf({ madeBy, writtenBy }: Plane): string {
  return madeBy ?? writtenBy
}

/** `127.0.0.1:21443`, with what is wrong about it. */
export function tunnelWord(tunnel: Listed['tunnel']): string {
  if (tunnel === undefined) {
    return ''
  }
  const { address, isUp, problem } = tunnel
  return problem === undefined && isUp ? address : `${address} (${problem ?? 'rests'})`
}

/** `364d`, or `expired`; empty when there are none. */
export function timeLeft(end: Date | undefined, now: Date): string {
  if (end === undefined) {
    return ''
  }
  return end <= now ? 'expired' : formatAge(now, end)
}
