import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { notDeleted } from '../../../control-plane/store/not-deleted.ts'
import { databaseOf } from '../../../control-plane/store/store.ts'
import {
  leftDatabase as leftOf,
  missingData,
  openDatabases,
} from '../../../database/database-problems.ts'
import { hasRows, openDatabaseServer } from '../../../database/database-server.ts'
import { dropDatabase } from '../../../database/drop-database.ts'
import type { DatabaseServer } from '../../../database/dialect/database-dialect.ts'
import {
  formatPlaneDatabase,
  kineEndpoint,
  newPlaneDatabase,
  parsePlaneDatabase,
  type PlaneDatabase,
} from '../../../database/dialect/plane-database.ts'
import type { Leftover } from '../../../control-plane/driver/driver.ts'
import { unlessErrorCode } from '../../../shared/errors.ts'
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
    if (!(await hasRows(facts))) {
      throw missingData({ name }, facts)
    }
    return
  }
  ui.step(`Creating the database "${facts.database}"`)
  await using server = await openOwn(folder, facts)
  const warning = openDatabases(name, facts, await server.ensure())
  if (warning !== undefined) {
    ui.warn(warning)
  }
}

/**
 * Connects to the server of a plane's database as its owner, to replace its data.
 * @throws {VplaneError} as `prepareDatabase`
 */
export async function openForRestore(
  { name, spec }: Pick<PlaneRecord, 'name' | 'spec'>,
  folder: PlaneFolder,
): Promise<DatabaseServer> {
  const wanted = databaseOf(spec)
  const facts = (await storedDatabase(folder)) ?? (wanted && newPlaneDatabase(name, wanted))
  if (facts === undefined) {
    throw new Error(`"${name}" has no database`)
  }
  return await openOwn(folder, facts)
}

async function openOwn(folder: PlaneFolder, facts: PlaneDatabase): Promise<DatabaseServer> {
  const server = await openDatabaseServer(facts)
  if (!existsSync(folder.database)) {
    // Before the server has it, so that a deletion finds what an interrupted create has made.
    await writeFile(folder.database, formatPlaneDatabase(facts))
  }
  return server
}

/** The variables of kine with a database: its connection, with the password. */
export async function databaseEnvironment(folder: PlaneFolder): Promise<Record<string, string>> {
  const facts = await storedDatabase(folder)
  return facts === undefined ? {} : { KINE_ENDPOINT: kineEndpoint(facts) }
}

/** What a deletion does at the server of a database. */
interface DatabaseRemoval extends AsyncDisposable {
  /** Returns what it leaves. */
  drop: () => Promise<Leftover[]>
}

/**
 * Connects to the server of a plane's database as its owner, to delete it; undefined if it has none.
 * @throws {VplaneError} `UNREACHABLE` without the server, and `FAILED` if it refuses, both with what to do.
 */
export async function openForRemoval(
  folder: PlaneFolder,
  name: string,
): Promise<DatabaseRemoval | undefined> {
  try {
    const facts = await storedDatabase(folder)
    const server = facts && (await openDatabaseServer(facts))
    return (
      server && {
        drop: () => dropDatabase(server, facts, { name }),
        [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
      }
    )
  } catch (error) {
    throw notDeleted({ name }, error, 'database')
  }
}

/** The database that a deletion leaves. */
export async function leftDatabase(folder: PlaneFolder): Promise<Leftover[]> {
  const facts = await storedDatabase(folder).catch(() => undefined)
  return facts === undefined ? [] : [leftOf(facts)]
}

async function storedDatabase({ database }: PlaneFolder): Promise<PlaneDatabase | undefined> {
  const text = await unlessErrorCode(['ENOENT'], readFile(database, 'utf8'))
  return text === undefined ? undefined : parsePlaneDatabase(text, database)
}
