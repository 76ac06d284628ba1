import { isReadable } from '../control-plane/driver.ts'
import { formatAge } from './duration.ts'
import type { Listed } from './plane-result.ts'
import { formatTable } from './table.ts'

const COLUMNS = [
  'name',
  'driver',
  'namespace',
  'status',
  'version',
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
      connected: isConnected ? 'yes' : '',
      tunnel: tunnelWord(tunnel),
      certs: timeLeft(status.certificatesExpireAt, now),
      age: stored === undefined ? '' : formatAge(stored.createdAt, now),
    }
  })
  const hasTunnels = listed.some(({ tunnel }) => tunnel !== undefined)
  const columns = COLUMNS.filter((column) => column !== 'tunnel' || hasTunnels)
  return formatTable(columns, rows, { width })
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
