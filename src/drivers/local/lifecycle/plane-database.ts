import { readFile } from 'node:fs/promises'
import { databaseOf, storeOf } from '../../../control-plane/store/store.ts'
import { hasRows, openDatabaseServer } from '../../../database/database-server.ts'
import type { DatabaseServer } from '../../../database/dialect/database-dialect.ts'
import {
  formatPlaneDatabase,
  kineEndpoint,
  newPlaneDatabase,
  parsePlaneDatabase,
  type PlaneDatabase,
  serverName,
} from '../../../database/dialect/plane-database.ts'
import type { Leftover } from '../../../control-plane/driver/driver.ts'
import { unlessErrorCode, VplaneError } from '../../../shared/errors.ts'
import { writeFile } from '../../../shared/files/write-file.ts'
import type { Ui } from '../../../shared/ui.ts'
import type { PlaneFolder } from '../store/plane-folder.ts'
import type { PlaneRecord } from '../store/plane-record.ts'

/**
 * Makes the database of a plane that has no data yet. One that has data must still have them: an empty database does not
 * become an empty plane. A plane with another store needs nothing.
 *
 * @throws {VplaneError} `UNREACHABLE` without the server, `FAILED` if it refuses or the data is missing, `CONFLICT` if the
 * database is of another.
 */
export async function prepareDatabase(
  { hasData, name, spec }: PlaneRecord,
  folder: PlaneFolder,
  ui: Ui,
): Promise<void> {
  const wanted = databaseOf(spec)
  if (wanted === undefined) {
    return
  }
  const stored = await storedDatabase(folder)
  const facts = stored ?? newPlaneDatabase(name, wanted)
  if (hasData) {
    await refuseEmpty(name, facts)
    return
  }
  ui.step(`Creating the database "${facts.database}"`)
  await using server = await openDatabaseServer(facts)
  if (stored === undefined) {
    // Before the server has it, so that a deletion finds what an interrupted create has made.
    await writeFile(folder.database, formatPlaneDatabase(facts))
  }
  const others = await server.ensure()
  if (others.length > 0) {
    const list = others.map((one) => `"${one}"`).join(', ')
    ui.warn(
      `${storeOf(spec).title} lets every role connect to ${list}, and so that of "${name}": docs/stores.md says how to prevent it`,
    )
  }
}

/** The variables of kine with a database: its connection, with the password. */
export async function databaseEnvironment(folder: PlaneFolder): Promise<Record<string, string>> {
  const facts = await storedDatabase(folder)
  return facts === undefined ? {} : { KINE_ENDPOINT: kineEndpoint(facts) }
}

/**
 * Connects to the server of a plane's database as its owner, to delete it; undefined if it has none.
 * @throws {VplaneError} `UNREACHABLE` without the server, and `FAILED` if it refuses, both with what to do.
 */
export async function openForRemoval(
  folder: PlaneFolder,
  name: string,
): Promise<DatabaseServer | undefined> {
  try {
    const facts = await storedDatabase(folder)
    return facts && (await openDatabaseServer(facts))
  } catch (error) {
    throw error instanceof VplaneError ? notDeleted(name, error) : error
  }
}

/** The database that a deletion leaves. */
export async function leftDatabase(folder: PlaneFolder): Promise<Leftover[]> {
  const facts = await storedDatabase(folder).catch(() => undefined)
  if (facts === undefined) {
    return []
  }
  const { database, role } = facts
  const what = `the database "${database}" and the role "${role}" at ${serverName(facts)}`
  return [{ what, why: 'its data is left', isKept: true }]
}

function notDeleted(name: string, error: VplaneError): VplaneError {
  const plane = { name }
  const purpose = 'or delete it without its database'
  return new VplaneError(error.code, `"${name}" was not deleted: ${error.message}`, {
    cause: error,
    hints: [...error.hints, { purpose, action: 'delete', plane, leaveData: true }],
  })
}

async function storedDatabase({ database }: PlaneFolder): Promise<PlaneDatabase | undefined> {
  const text = await unlessErrorCode(['ENOENT'], readFile(database, 'utf8'))
  return text === undefined ? undefined : parsePlaneDatabase(text, database)
}

async function refuseEmpty(name: string, facts: PlaneDatabase): Promise<void> {
  if (!(await hasRows(facts))) {
    const place = `"${facts.database}" at ${serverName(facts)}`
    throw new VplaneError('FAILED', `the data of "${name}" is missing: ${place} is empty`, {
      hints: [
        'restore the database from a backup',
        { purpose: 'or delete the plane', action: 'delete', plane: { name } },
      ],
    })
  }
}
