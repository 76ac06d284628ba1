import type { Leftover } from '../control-plane/driver/driver.ts'
import { STORES } from '../control-plane/store/store.ts'
import { VplaneError } from '../shared/errors.ts'
import { type PlaneDatabase, serverName } from './dialect/plane-database.ts'

/** The error of a plane whose database has lost its data: an empty database does not become an empty plane. */
export function missingData(name: string, facts: PlaneDatabase): VplaneError {
  const place = `"${facts.database}" at ${serverName(facts)}`
  return new VplaneError('FAILED', `the data of "${name}" is missing: ${place} is empty`, {
    hints: [
      'restore the database from a backup',
      { purpose: 'or delete the plane', action: 'delete', plane: { name } },
    ],
  })
}

/** The error of a plane that is left as it is, because its database cannot be deleted. */
export function notDeleted(name: string, error: VplaneError): VplaneError {
  const plane = { name }
  const purpose = 'or delete it without its database'
  return new VplaneError(error.code, `"${name}" was not deleted: ${error.message}`, {
    cause: error,
    hints: [...error.hints, { purpose, action: 'delete', plane, leaveData: true }],
  })
}

/** The database that a deletion leaves. */
export function leftDatabase(facts: PlaneDatabase): Leftover {
  const { database, role } = facts
  const what = `the database "${database}" and the role "${role}" at ${serverName(facts)}`
  return { what, why: 'its data is left', isKept: true }
}

/** What vplane says of other databases that admit every role; undefined if there are none. */
export function openDatabases(
  name: string,
  { kind }: PlaneDatabase,
  others: readonly string[],
): string | undefined {
  const list = others.map((one) => `"${one}"`).join(', ')
  return others.length === 0
    ? undefined
    : `${STORES[kind].title} lets every role connect to ${list}, and so that of "${name}": docs/stores.md says how to prevent it`
}
