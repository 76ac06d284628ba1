import type { PlaneRecord } from './plane-record.ts'

/** Whether an operation on a plane runs or was interrupted. Maintenance does not count. */
export function isUnfinished({ journal }: Pick<PlaneRecord, 'journal'>): boolean {
  return journal !== undefined && journal.operation !== 'maintain'
}
