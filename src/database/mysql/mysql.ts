import { connect as connectSocket } from 'node:net'
import { createConnection, type Connection, type RowDataPacket } from 'mysql2/promise'
import { hasErrorCode, VplaneError } from '../../shared/errors.ts'
import { fieldAt } from '../../shared/json-fields.ts'
import type { Access, DatabaseDialect } from '../dialect/database-dialect.ts'
import { answering, unlessMissing } from '../dialect/answering.ts'
import { databaseError, foreignDatabase } from '../dialect/database-error.ts'
import { type PlaneDatabase, serverName } from '../dialect/plane-database.ts'
import { nativeVerifier } from './native-verifier.ts'

/** A table with the role of the plane that a database is of: only MariaDB stores a comment on a database. */
const MARK = 'vplane_control_plane'

/**
 * The table of kine 0.16 with other names of objects: kine stores them as text of ASCII, in which `Foo` and `foo` are one
 * name, and `föö` is none. kine does not change a table that exists.
 */
const TABLE = `(
  id BIGINT UNSIGNED AUTO_INCREMENT,
  name VARBINARY(630),
  created INTEGER,
  deleted INTEGER,
  create_revision BIGINT UNSIGNED,
  prev_revision BIGINT UNSIGNED,
  lease INTEGER,
  value MEDIUMBLOB,
  old_value MEDIUMBLOB,
  PRIMARY KEY (id),
  INDEX kine_name_index (name),
  INDEX kine_name_id_index (name, id),
  INDEX kine_id_deleted_index (id, deleted),
  INDEX kine_prev_revision_index (prev_revision),
  UNIQUE INDEX kine_name_prev_revision_uindex (name, prev_revision)
) ENGINE = InnoDB`

/** A statement of kine has the new and the old value of an object, each of 1.5 MiB at most. */
const PACKET_BYTES = 4 * 1024 * 1024

const CONNECT_MS = 10_000
const STATEMENT_MS = 60_000

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
      drop: () => answering(facts, answers, () => drop(client, facts)),
      [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
    }
  },
  hasRows: (facts, access) =>
    unlessMissing(
      facts,
      { isAnswer, missing: ['ER_NO_SUCH_TABLE', 'ER_BAD_DB_ERROR'] },
      async () => {
        await using client = await connect(facts, facts.database, access)
        return (await rowsOf(client, 'SELECT 1 FROM kine LIMIT 1')).length > 0
      },
    ),
}

async function connect(
  facts: PlaneDatabase,
  database: string | undefined,
  { certificateAuthority: ca, dial, password, user }: Access,
): Promise<Connection> {
  const { host, port } = facts
  try {
    const dialled = await dial?.()
    const client = await createConnection({
      host,
      port,
      user,
      password,
      connectTimeout: CONNECT_MS,
      disableEval: true,
      ...(database === undefined ? {} : { database }),
      ssl: { ...(ca === undefined ? {} : { ca }), rejectUnauthorized: true, verifyIdentity: true },
      // Node checks the certificate for this name. The package gives it no name for an IP address.
      stream: () =>
        Object.assign(dialled ?? connectSocket({ host, port, noDelay: true }), { _host: host }),
    })
    // A connection that breaks fails its query; without a listener, it would end the process.
    client.on('error', () => {})
    // In other modes, quotes have another meaning, and values that do not fit are cut.
    await rowsOf(client, `SET SESSION sql_mode = 'TRADITIONAL', lock_wait_timeout = 50`)
    return client
  } catch (error) {
    throw databaseError(facts, error, {
      isAnswer: isAnswer(error),
      ...(isAnswer(error) ? { hints: [] } : {}),
    })
  }
}

/** Whether the server has decided it. Class 08 is a server that stops, or that has too many connections. */
function isAnswer(error: unknown): boolean {
  const state = fieldAt(error, 'sqlState')
  return typeof state === 'string' && !state.startsWith('08')
}

async function ensure(client: Connection, facts: PlaneDatabase, access: Access): Promise<string[]> {
  const { database, password, role } = facts
  await refuseSmallPackets(client, facts)
  const found = await findDatabase(client, facts)
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

async function drop(client: Connection, facts: PlaneDatabase): Promise<void> {
  const found = await findDatabase(client, facts)
  if (found?.isOwn === true) {
    await rowsOf(client, `DROP DATABASE ${client.escapeId(facts.database)}`)
  }
  await rowsOf(client, `DROP USER IF EXISTS ${userOf(client, facts)}`)
}

/** A database is the plane's own if its mark says so, or if its name is that of the role, which no other has. */
async function findDatabase(
  client: Connection,
  { database, role }: PlaneDatabase,
): Promise<{ isOwn: boolean } | undefined> {
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
    const unmarked = ['ER_NO_SUCH_TABLE', 'ER_TABLEACCESS_DENIED_ERROR']
    if (unmarked.some((code) => hasErrorCode(error, code))) {
      return { isOwn: false }
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

async function rowsOf(
  client: Connection,
  sql: string,
  values: string[] = [],
): Promise<RowDataPacket[]> {
  const [rows] = await client.query<RowDataPacket[]>({ sql, values, timeout: STATEMENT_MS })
  return rows
}
