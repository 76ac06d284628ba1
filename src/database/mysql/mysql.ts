import type { Connection } from 'mysql2/promise'
import { isVplaneError, VplaneError } from '../../shared/errors.ts'
import { fieldAt } from '../../shared/json-fields.ts'
import type { Access, DatabaseDialect } from '../dialect/database-dialect.ts'
import { answeringData } from '../dialect/answering-data.ts'
import { answering, unlessMissing } from '../dialect/answering.ts'
import { foreignDatabase } from '../dialect/database-error.ts'
import { type PlaneDatabase, serverName } from '../dialect/plane-database.ts'
import { connect, isAnswer, rowsOf } from './connect.ts'
import { mysqlData, TABLE } from './mysql-data.ts'
import { nativeVerifier } from './native-verifier.ts'

/** A table with the role of the plane that a database is of: only MariaDB stores a comment on a database. */
const MARK = 'vplane_control_plane'

/** A statement of kine has the new and the old value of an object, each of 1.5 MiB at most. */
const PACKET_BYTES = 4 * 1024 * 1024

/** Numbers of errors. The build leaves out their names, which are half of the package. */
const [NO_DATABASE, NO_RIGHT, NO_TABLE] = [1049, 1142, 1146]

/** MySQL and MariaDB: a user that may read and write the rows of one table, in a database of its own. */
export const mysql: DatabaseDialect = {
  open: async (facts, access) => {
    const client = await connect(facts, undefined, access)
    const answers = {
      isAnswer,
      hints: [
        `"${access.user}" needs CREATE USER, and all rights on "${facts.database}" WITH GRANT OPTION`,
      ],
    }
    return {
      ensure: () => answering(facts, answers, () => ensure(client, facts, access)),
      drop: () => answering(facts, answers, () => drop(client, facts, access)),
      data: answeringData(mysqlData(client, facts), (work) => answering(facts, answers, work)),
      [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
    }
  },
  hasRows: (facts, access) =>
    unlessMissing(facts, { isAnswer, isMissing: isAny(NO_TABLE, NO_DATABASE) }, async () => {
      await using client = await connect(facts, facts.database, access)
      return (await rowsOf(client, 'SELECT 1 FROM kine LIMIT 1')).length > 0
    }),
}

function isAny(...numbers: number[]): (error: unknown) => boolean {
  return (error) => numbers.some((number) => fieldAt(error, 'errno') === number)
}

async function ensure(client: Connection, facts: PlaneDatabase, access: Access): Promise<string[]> {
  const { database, password, role } = facts
  await refuseSmallPackets(client, facts)
  const found = await findDatabase(client, facts, access)
  if (found?.isOwn === false) {
    throw foreignDatabase(facts)
  }
  const user = userOf(client, facts)
  const secret = await secretOf(client, password)
  await rowsOf(client, `CREATE USER IF NOT EXISTS ${user} ${secret} REQUIRE SSL`)
  await rowsOf(client, `ALTER USER ${user} ${secret} REQUIRE SSL`)

  const inside = (table: string) => `${client.escapeId(database)}.${client.escapeId(table)}`
  if (found === undefined) {
    await rowsOf(client, `CREATE DATABASE ${client.escapeId(database)}`)
  }
  for (const statement of [
    `CREATE TABLE IF NOT EXISTS ${inside(MARK)} (role VARCHAR(64) PRIMARY KEY)`,
    `REPLACE INTO ${inside(MARK)} VALUES (${client.escape(role)})`,
    `CREATE TABLE IF NOT EXISTS ${inside('kine')} ${TABLE}`,
    // Rights on a database would be those on a pattern, in which "_" is any character.
    `GRANT SELECT, INSERT, UPDATE, DELETE ON ${inside('kine')} TO ${user}`,
  ]) {
    await rowsOf(client, statement)
  }

  await using ofPlane = await connect(facts, database, { ...access, user: role, password })
  const seen = await rowsOf(ofPlane, 'SELECT schema_name AS name FROM information_schema.schemata')
  const usual = [database, 'information_schema', 'performance_schema']
  return seen.map(({ name }) => String(name)).filter((name) => !usual.includes(name))
}

async function drop(
  client: Connection,
  facts: PlaneDatabase,
  access: Access,
): Promise<{ hasForeign: boolean }> {
  const found = await findDatabase(client, facts, access)
  if (found?.isOwn === true) {
    await rowsOf(client, `DROP DATABASE ${client.escapeId(facts.database)}`)
  }
  await rowsOf(client, `DROP USER IF EXISTS ${userOf(client, facts)}`)
  return { hasForeign: found?.isOwn === false }
}

/** A database is the plane's own if its mark says so, or if its name is that of the role, which no other has. */
async function findDatabase(
  client: Connection,
  facts: PlaneDatabase,
  access: Access,
): Promise<{ isOwn: boolean } | undefined> {
  const { database, role } = facts
  const named = 'SELECT 1 FROM information_schema.schemata WHERE schema_name = ?'
  if ((await rowsOf(client, named, [database])).length === 0) {
    return undefined
  }
  if (database === role) {
    return { isOwn: true }
  }
  const table = `${client.escapeId(database)}.${client.escapeId(MARK)}`
  try {
    const marks = await rowsOf(client, `SELECT 1 FROM ${table} WHERE role = ?`, [role])
    return { isOwn: marks.length > 0 }
  } catch (error) {
    if (isAny(NO_TABLE)(error)) {
      return { isOwn: await isBegun(client, facts, access) }
    }
    if (isAny(NO_RIGHT)(error)) {
      return { isOwn: false }
    }
    throw error
  }
}

/** Whether an interrupted creation has made a database: it has no tables yet, and the user exists, who is made before it. */
async function isBegun(client: Connection, facts: PlaneDatabase, access: Access): Promise<boolean> {
  const { database, password, role: user } = facts
  const tables = 'SELECT 1 FROM information_schema.tables WHERE table_schema = ? LIMIT 1'
  if ((await rowsOf(client, tables, [database])).length > 0) {
    return false
  }
  try {
    await using _ofPlane = await connect(facts, undefined, { ...access, user, password })
    return true
  } catch (error) {
    if (isVplaneError(error, 'FAILED')) {
      return false
    }
    throw error
  }
}

/** MySQL keeps passwords out of its logs, MariaDB does not. Only MariaDB always has `mysql_native_password`. */
async function secretOf(client: Connection, password: string): Promise<string> {
  const [version] = await rowsOf(client, 'SELECT VERSION() AS name')
  const isMariaDb = String(version?.['name']).includes('MariaDB')
  return isMariaDb
    ? `IDENTIFIED BY PASSWORD ${client.escape(nativeVerifier(password))}`
    : `IDENTIFIED BY ${client.escape(password)}`
}

async function refuseSmallPackets(client: Connection, facts: PlaneDatabase): Promise<void> {
  const [limit] = await rowsOf(client, 'SELECT @@GLOBAL.max_allowed_packet AS bytes')
  if (Number(limit?.['bytes']) < PACKET_BYTES) {
    const message = `"max_allowed_packet" of ${serverName(facts)} is too small for large objects: ${limit?.['bytes']}`
    throw new VplaneError('FAILED', message, { hints: [`set it to ${PACKET_BYTES} or more`] })
  }
}

function userOf(client: Connection, { role }: PlaneDatabase): string {
  return `${client.escape(role)}@'%'`
}
