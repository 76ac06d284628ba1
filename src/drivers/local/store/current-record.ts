import { deletedMeanwhile } from '../../../control-plane/plane/deleted-meanwhile.ts'
import type { UnreadablePlane } from '../../../control-plane/plane/unreadable-plane.ts'
import type { Plane } from '../../../control-plane/plane/plane.ts'
import { VplaneError } from '../../../shared/errors.ts'
import type { PlaneRecord } from './plane-record.ts'
import type { PlaneStore, StoredFolder } from './plane-store.ts'

/**
 * The record of a plane as it is now: between two calls another vplane may have changed or removed it.
 *
 * @throws {VplaneError} `CONTROL_PLANE_NOT_FOUND` when it was removed, `FAILED` when it cannot be read.
 */
export async function currentRecord(
  store: Pick<PlaneStore, 'find'>,
  plane: Pick<Plane, 'id' | 'name'>,
): Promise<PlaneRecord> {
  const stored = await storedOf(store, plane)
  if (stored?.record instanceof VplaneError) {
    throw stored.record
  }
  if (stored === undefined) {
    throw deletedMeanwhile(plane.name)
  }
  return stored.record
}

/**
 * What is stored of a plane now, readable or not; undefined when nothing is.
 *
 * @throws {VplaneError} `CONTROL_PLANE_NOT_FOUND` when another plane was made under its name.
 */
export async function storedOf(
  store: Pick<PlaneStore, 'find'>,
  plane: Pick<Plane, 'id' | 'name'> | UnreadablePlane,
): Promise<StoredFolder | undefined> {
  const stored = await store.find(plane.name)
  const id = 'id' in plane ? plane.id : undefined
  // What could not be read before and can be now is another one as well: nobody has agreed to anything about it.
  if (stored !== undefined && !(stored.record instanceof VplaneError) && stored.record.id !== id) {
    throw deletedMeanwhile(plane.name)
  }
  return stored
}
