import { randomBytes } from 'node:crypto'
import type { SnapshotInfo } from '../control-plane/driver/snapshot.ts'
import { compactTime } from '../shared/text/compact-time.ts'

const ID = /^[a-z0-9-]+-(\d{8})-(\d{6})-[0-9a-f]{4}$/

/** Creates the id of a snapshot: `dev-20260102-030405-1a2b`. */
export function snapshotIdOf({
  createdAt,
  plane,
}: Pick<SnapshotInfo, 'createdAt' | 'plane'>): string {
  const time = compactTime(createdAt).replace('T', '-')
  return `${plane}-${time}-${randomBytes(2).toString('hex')}`
}

/** Whether a text is an id and not a path: names of planes have no points or slashes. */
export function isSnapshotId(text: string): boolean {
  return ID.test(text)
}

/** When the snapshot of an id was taken, to the second; undefined when the text is not an id. */
export function timeOfSnapshotId(id: string): Date | undefined {
  const [, day, time] = ID.exec(id) ?? []
  if (day === undefined || time === undefined) {
    return undefined
  }
  const date = day.replace(/(....)(..)/, '$1-$2-')
  const moment = new Date(`${date}T${time.replace(/(..)(..)/, '$1:$2:')}Z`)
  return Number.isNaN(moment.getTime()) ? undefined : moment
}
