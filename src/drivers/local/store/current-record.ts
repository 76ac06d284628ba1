import type { Plane } from '../../../control-plane/plane.ts'
import { VplaneError } from '../../../shared/errors.ts'
import type { PlaneRecord } from './plane-record.ts'
import type { PlaneStore } from './plane-store.ts'

/**
 * The record of a plane as it is now: between two calls another vplane may have changed or removed it.
 *
 * @throws {VplaneError} `CONTROL_PLANE_NOT_FOUND` when it was removed, `FAILED` when it cannot be read.
 */
export async function currentRecord(
  store: Pick<PlaneStore, 'find'>,
  { id, name }: Pick<Plane, 'id' | 'name'>,
): Promise<PlaneRecord> {
  const stored = await store.find(name)
  if (stored?.record instanceof VplaneError) {
    throw stored.record
  }
  if (stored === undefined || stored.record.id !== id) {
    throw new VplaneError('CONTROL_PLANE_NOT_FOUND', `"${name}" was deleted meanwhile`, {
      hints: ['vplane list'],
    })
  }
  return stored.record
}
