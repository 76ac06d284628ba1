import type { PlaneRecord } from './plane-record.ts'

/** Whether something was begun with a plane that is not done: it goes on, or was cut off. Maintenance does not count. */
export function isUnfinished({ journal }: Pick<PlaneRecord, 'journal'>): boolean {
  return journal !== undefined && journal.operation !== 'maintain'
}
