import type { Leftover } from '../control-plane/driver/driver.ts'
import { notDeleted } from '../control-plane/store/not-deleted.ts'
import { foreignLeftover } from './database-problems.ts'
import type { DatabaseServer } from './dialect/database-dialect.ts'
import type { PlaneDatabase } from './dialect/plane-database.ts'

/**
 * Deletes the database and the role of a plane, and returns what stays because it is of another.
 * @throws {VplaneError} as the server does, with what to do.
 */
export async function dropDatabase(
  server: DatabaseServer,
  facts: PlaneDatabase,
  plane: { name: string; namespace?: string },
): Promise<Leftover[]> {
  try {
    const { hasForeign } = await server.drop()
    return hasForeign ? [foreignLeftover(facts)] : []
  } catch (error) {
    throw notDeleted(plane, error, 'database')
  }
}
