import type { Leftover } from '../control-plane/driver/driver.ts'
import { STORES } from '../control-plane/store/store.ts'
import { VplaneError } from '../shared/errors.ts'
import { someOf } from '../shared/text/some-of.ts'
import { type PlaneDatabase, serverName } from './dialect/plane-database.ts'

/** How many databases a text names: a server may have thousands. */
const MOST_NAMES = 5

/** A plane as hints name it. */
interface Named {
  name: string
  namespace?: string
}

/** The error of a plane whose database has lost its data: an empty database does not become an empty plane. */
export function missingData(plane: Named, facts: PlaneDatabase): VplaneError {
  const place = `"${facts.database}" at ${serverName(facts)}`
  return new VplaneError('FAILED', `the data of "${plane.name}" is missing: ${place} is empty`, {
    hints: [
      'restore the database from a backup',
      {
        purpose: 'or restore a snapshot',
        action: 'restore',
        plane,
        from: 'SNAPSHOT',
        force: true,
      },
      { purpose: 'or delete the plane', action: 'delete', plane },
    ],
  })
}

/** The database that a deletion leaves. */
export function leftDatabase(facts: PlaneDatabase): Leftover {
  const { database, role } = facts
  const what = `the database "${database}" and the role "${role}" at ${serverName(facts)}`
  return { what, why: 'its data is left', isKept: true }
}

/** A database that has the name of the plane's, and that vplane does not delete. */
export function foreignLeftover(facts: PlaneDatabase): Leftover {
  const what = `the database "${facts.database}" at ${serverName(facts)}`
  return { what, why: 'it does not have the mark of this plane', isKept: true }
}

/** What vplane says of other databases that admit every role; undefined if there are none. */
export function openDatabases(
  name: string,
  { kind }: PlaneDatabase,
  others: readonly string[],
): string | undefined {
  const list = others.map((one) => `"${one}"`)
  return others.length === 0
    ? undefined
    : `${STORES[kind].title} lets every role connect to ${someOf(list, MOST_NAMES)}, and so that of "${name}": docs/databases.md says how to prevent it`
}
