import type { UnreadablePlane } from '../../../control-plane/plane/unreadable-plane.ts'
import type { Plane } from '../../../control-plane/plane/plane.ts'
import { messageOf } from '../../../shared/errors.ts'
import type { Host } from '../context/context.ts'
import { toPlane } from './plane-record.ts'
import { isReadableRecord, type StoredRecord } from './record-store.ts'

/** Converts a stored record to a plane, or to an unreadable plane with the reason. */
export function toListed(
  stored: StoredRecord,
  { context: hostContext }: Pick<Host, 'context'>,
): Plane | UnreadablePlane {
  const { name, namespace } = stored
  const reference = { name, driver: 'kubernetes', namespace, hostContext } as const
  if (!isReadableRecord(stored)) {
    return { ...reference, reason: messageOf(stored.record) }
  }
  const { record } = stored
  if (record.desired === 'kept') {
    return { ...reference, reason: 'it was deleted and its data kept', isKept: true }
  }
  return toPlane(record, { namespace, hostContext })
}
