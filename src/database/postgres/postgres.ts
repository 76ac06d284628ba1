import { randomBytes } from 'node:crypto'
import { type Client, escapeIdentifier as quoted, escapeLiteral } from 'pg'
import { hasErrorCode } from '../../shared/errors.ts'
import type { Access, DatabaseDialect, DatabaseServer } from '../dialect/database-dialect.ts'
import { answeringData } from '../dialect/answering-data.ts'
import { answering, unlessMissing } from '../dialect/answering.ts'
import { foreignDatabase } from '../dialect/database-error.ts'
import type { PlaneDatabase } from '../dialect/plane-database.ts'
import { connect, isAnswer } from './connect.ts'
import { admitTo, postgresData, SCHEMA } from './postgres-data.ts'
import { scramVerifier } from './scram-verifier.ts'

/** Where an owner connects that has no database of its own. */
const MAINTENANCE = 'postgres'

/** PostgreSQL: a role that may log in, and a database of its owner in which this role alone may create tables. */
export const postgres: DatabaseDialect = {
  open: async (facts, access) => {
    const client = await connect(facts, MAINTENANCE, access)
    const answers = {
      isAnswer,
      hints: [`"${access.user}" needs the attributes CREATEDB and CREATEROLE`],
    }
    return {
      ensure: () => answering(facts, answers, () => ensure(client, facts, access)),
      drop: () => answering(facts, answers, () => drop(client, facts)),
      data: answeringData(postgresData(facts, access), (work) => answering(facts, answers, work)),
      [Symbol.asyncDispose]: () => client.end(),
    } satisfies DatabaseServer
  },
  hasRows: (facts, access) =>
    unlessMissing(facts, { isAnswer, isMissing }, async () => {
      await using client = await connect(facts, facts.database, access)
      return (await client.query('SELECT FROM kine LIMIT 1')).rows.length > 0
    }),
}

function isMissing(error: unknown): boolean {
  return ['42P01', '3D000'].some((code) => hasErrorCode(error, code))
}

async function ensure(client: Client, facts: PlaneDatabase, access: Access): Promise<string[]> {
  const { database, password, role } = facts
  const exists = await client.query('SELECT FROM pg_roles WHERE rolname = $1', [role])
  const verifier = escapeLiteral(scramVerifier(password, randomBytes(16)))
  const verb = exists.rows.length > 0 ? 'ALTER' : 'CREATE'
  await client.query(`${verb} ROLE ${quoted(role)} LOGIN NOINHERIT PASSWORD ${verifier}`)

  const found = await findDatabase(client, facts)
  if (found?.isOwn === false) {
    await client.query(`DROP ROLE ${quoted(role)}`)
    throw foreignDatabase(facts)
  }
  if (found === undefined) {
    await makeDatabase(client, facts)
  }
  for (const statement of [
    `REVOKE ALL ON DATABASE ${quoted(database)} FROM PUBLIC`,
    `GRANT CONNECT ON DATABASE ${quoted(database)} TO ${quoted(role)}`,
    `ALTER DATABASE ${quoted(database)} CONNECTION LIMIT -1`,
    `ALTER ROLE ${quoted(role)} IN DATABASE ${quoted(database)} SET search_path = ${SCHEMA}`,
  ]) {
    await client.query(statement)
  }
  await using inside = await connect(facts, database, access)
  await inside.query(`CREATE SCHEMA IF NOT EXISTS ${SCHEMA}`)
  await inside.query(admitTo(SCHEMA, role))

  const others = await client.query<{ datname: string }>(
    `SELECT datname FROM pg_database
     WHERE datallowconn AND datname <> $1 AND has_database_privilege($2, oid, 'CONNECT') ORDER BY 1`,
    [database, role],
  )
  return others.rows.map(({ datname }) => datname)
}

/** Until it has its mark, the database has the name of the role: then an interrupted creation can be continued, and deleted. */
async function makeDatabase(client: Client, facts: PlaneDatabase): Promise<void> {
  const { database, role } = facts
  if ((await findDatabase(client, { ...facts, database: role })) === undefined) {
    // Only superusers can connect until nobody else may: a session would outlive the REVOKE.
    await client.query(
      `CREATE DATABASE ${quoted(role)} TEMPLATE template0 ENCODING 'UTF8' LC_COLLATE 'C' LC_CTYPE 'C' CONNECTION LIMIT 0`,
    )
  }
  await client.query(`COMMENT ON DATABASE ${quoted(role)} IS ${escapeLiteral(markOf(facts))}`)
  if (database !== role) {
    await client.query(`ALTER DATABASE ${quoted(role)} RENAME TO ${quoted(database)}`)
  }
}

async function drop(client: Client, facts: PlaneDatabase): Promise<{ hasForeign: boolean }> {
  const { database, role } = facts
  const found = await findDatabase(client, facts)
  if (found?.isOwn === true) {
    await dropDatabase(client, facts)
  }
  if (database !== role) {
    await dropDatabase(client, { database: role, role })
  }
  await client.query(`DROP ROLE IF EXISTS ${quoted(role)}`)
  return { hasForeign: found?.isOwn === false }
}

async function dropDatabase(
  client: Client,
  { database, role }: Pick<PlaneDatabase, 'database' | 'role'>,
): Promise<void> {
  const statement = `DROP DATABASE IF EXISTS ${quoted(database)}`
  try {
    // PostgreSQL waits some seconds for sessions to end, such as those of a kine that was killed.
    await client.query(statement)
  } catch (error) {
    if (!hasErrorCode(error, '55006')) {
      throw error
    }
    // Only members of a role may end its sessions. The membership ends with the role.
    await client.query(`GRANT ${quoted(role)} TO CURRENT_USER`)
    await client.query(`${statement} WITH (FORCE)`)
  }
}

/** A database is the plane's own if its comment says so, or if its name is that of the role, which no other has. */
async function findDatabase(
  client: Client,
  facts: PlaneDatabase,
): Promise<{ isOwn: boolean } | undefined> {
  const { database, role } = facts
  const { rows } = await client.query<{ mark: string | null }>(
    `SELECT shobj_description(oid, 'pg_database') AS mark FROM pg_database WHERE datname = $1`,
    [database],
  )
  const [found] = rows
  return found && { isOwn: database === role || found.mark === markOf(facts) }
}

function markOf({ role }: PlaneDatabase): string {
  return `of the control plane of vplane with the role "${role}"`
}
