import { deletedMeanwhile } from '../../../control-plane/plane/deleted-meanwhile.ts'
import { refuseDuring, type Verb } from '../../../control-plane/operations/answer.ts'
import type { UnreadablePlane } from '../../../control-plane/plane/unreadable-plane.ts'
import type { Plane } from '../../../control-plane/plane/plane.ts'
import { VplaneError } from '../../../shared/errors.ts'
import { type PlaneRecord, toPlane, unfinishedOf } from './plane-record.ts'
import type { PlaneStore, StoredFolder } from './plane-store.ts'

/**
 * Reads the record of a plane again: another vplane may have changed or removed the plane since the last call.
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
 * `currentRecord` of a plane that a command changes.
 * @throws {VplaneError} `FAILED` with what has to be finished first.
 */
export async function usableRecord(
  store: Pick<PlaneStore, 'find'>,
  plane: Pick<Plane, 'id' | 'name'>,
  verb: Verb,
): Promise<PlaneRecord> {
  const record = await currentRecord(store, plane)
  refuseDuring(verb, toPlane(record), unfinishedOf(record))
  return record
}

/**
 * Reads what is stored of a plane, even if its record is unreadable; undefined when nothing is.
 * @throws {VplaneError} `CONTROL_PLANE_NOT_FOUND` when another plane has its name now.
 */
export async function storedOf(
  store: Pick<PlaneStore, 'find'>,
  plane: Pick<Plane, 'id' | 'name'> | UnreadablePlane,
): Promise<StoredFolder | undefined> {
  const stored = await store.find(plane.name)
  const id = 'id' in plane ? plane.id : undefined
  // A plane that was unreadable before and is readable now counts as another one: the user has not confirmed it.
  if (stored !== undefined && !(stored.record instanceof VplaneError) && stored.record.id !== id) {
    throw deletedMeanwhile(plane.name)
  }
  return stored
}
