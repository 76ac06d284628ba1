import type { Driver } from '../../driver/driver.ts'
import { deletedMeanwhile } from '../../plane/deleted-meanwhile.ts'
import type { Plane } from '../../plane/plane.ts'
import { isReadable } from '../../plane/unreadable-plane.ts'

/**
 * Reads a plane again, as it is stored now.
 * @throws {VplaneError} `CONTROL_PLANE_NOT_FOUND` when it was deleted, also if another plane has its name now.
 */
export async function findAgain(
  driver: Pick<Driver, 'find'>,
  { id, name, namespace }: Pick<Plane, 'id' | 'name' | 'namespace'>,
): Promise<Plane> {
  const [found] = await driver.find(name, { namespace })
  if (found === undefined || !isReadable(found) || found.id !== id) {
    throw deletedMeanwhile(name)
  }
  return found
}
