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
  'certs',
  'age',
] as const

/** Planes as people see them in `list`. */
export function planeTable(
  listed: readonly Listed[],
  { now, width }: { now: Date; width: number | undefined },
): string {
  const rows = listed.map(({ isConnected, plane, status }) => {
    const stored = isReadable(plane) ? plane : undefined
    return {
      name: plane.name,
      driver: plane.driver,
      namespace: plane.namespace ?? '',
      status: status.phase,
      version: stored?.spec.version ?? '',
      connected: isConnected ? 'yes' : '',
      certs: timeLeft(status.certificatesExpireAt, now),
      age: stored === undefined ? '' : formatAge(stored.createdAt, now),
    }
  })
  return formatTable(COLUMNS, rows, { width })
}

/** `364d`, or `expired`; empty when there are none. */
export function timeLeft(end: Date | undefined, now: Date): string {
  if (end === undefined) {
    return ''
  }
  return end <= now ? 'expired' : formatAge(now, end)
}
