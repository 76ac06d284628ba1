import { randomBytes } from 'node:crypto'
import type { Duplex } from 'node:stream'
import { checkServerIdentity } from 'node:tls'
import { Client, DatabaseError, escapeIdentifier as quoted, escapeLiteral } from 'pg'
import { hasErrorCode } from '../../shared/errors.ts'
import type { Access, DatabaseDialect, DatabaseServer } from '../dialect/database-dialect.ts'
import { answering, unlessMissing } from '../dialect/answering.ts'
import { databaseError, foreignDatabase } from '../dialect/database-error.ts'
import type { PlaneDatabase } from '../dialect/plane-database.ts'
import { scramVerifier } from './scram-verifier.ts'

/** Where an owner connects that has no database of its own. */
const MAINTENANCE = 'postgres'

/** The schema of kine's table. It is not `public`, in which servers before 15 let everyone create functions. */
const SCHEMA = 'kine'

const CONNECT_MS = 10_000
const STATEMENT_MS = 60_000

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
      [Symbol.asyncDispose]: () => client.end(),
    } satisfies DatabaseServer
  },
  hasRows: (facts, access) =>
    unlessMissing(facts, { isAnswer, missing: ['42P01', '3D000'] }, async () => {
      await using client = await connect(facts, facts.database, access)
      return (await client.query('SELECT FROM kine LIMIT 1')).rows.length > 0
    }),
}

type Connection = Client & AsyncDisposable

/** Every setting is explicit, since the package reads variables and files of the user for the others. */
async function connect(
  facts: PlaneDatabase,
  database: string,
  { certificateAuthority: ca, dial, password, user }: Access,
): Promise<Connection> {
  const { host, port } = facts
  const dialled = await dial?.()
  const client = new Client({
    host,
    port,
    user,
    password,
    database,
    ssl: {
      ...(ca === undefined ? {} : { ca }),
      rejectUnauthorized: true,
      // The package does not pass on an IP address.
      checkServerIdentity: (_, certificate) => checkServerIdentity(host, certificate),
    },
    ...(dialled === undefined ? {} : { stream: () => asSocket(dialled) }),
    options: '',
    application_name: 'vplane',
    connectionTimeoutMillis: CONNECT_MS,
    statement_timeout: STATEMENT_MS,
    query_timeout: STATEMENT_MS,
  })
  // A connection that breaks fails its query; without a listener, it would end the process.
  client.on('error', () => {})
  try {
    await client.connect()
  } catch (error) {
    throw databaseError(facts, error, {
      isAnswer: isAnswer(error),
      ...(isAnswer(error) ? { hints: [] } : {}),
    })
  }
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() })
}

/** A stream that is connected, as the package uses a socket that it connects itself. */
function asSocket(stream: Duplex): Duplex {
  const nothing = () => stream
  const connect = () => {
    queueMicrotask(() => stream.emit('connect'))
    return stream
  }
  return Object.assign(stream, { connect, ref: nothing, setNoDelay: nothing, unref: nothing })
}

/** Whether the server has decided it. Class 57 is a server that starts or stops. */
function isAnswer(error: unknown): boolean {
  return error instanceof DatabaseError && error.code?.startsWith('57') !== true
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
    // Only superusers can connect until nobody else may: a session would outlive the REVOKE.
    await client.query(
      `CREATE DATABASE ${quoted(database)} TEMPLATE template0 ENCODING 'UTF8' LC_COLLATE 'C' LC_CTYPE 'C' CONNECTION LIMIT 0`,
    )
  }
  for (const statement of [
    `COMMENT ON DATABASE ${quoted(database)} IS ${escapeLiteral(markOf(facts))}`,
    `REVOKE ALL ON DATABASE ${quoted(database)} FROM PUBLIC`,
    `GRANT CONNECT ON DATABASE ${quoted(database)} TO ${quoted(role)}`,
    `ALTER DATABASE ${quoted(database)} CONNECTION LIMIT -1`,
    `ALTER ROLE ${quoted(role)} IN DATABASE ${quoted(database)} SET search_path = ${SCHEMA}`,
  ]) {
    await client.query(statement)
  }
  await using inside = await connect(facts, database, access)
  await inside.query(`CREATE SCHEMA IF NOT EXISTS ${SCHEMA}`)
  await inside.query(`GRANT USAGE, CREATE ON SCHEMA ${SCHEMA} TO ${quoted(role)}`)

  const others = await client.query<{ datname: string }>(
    `SELECT datname FROM pg_database
     WHERE datallowconn AND datname <> $1 AND has_database_privilege($2, oid, 'CONNECT') ORDER BY 1`,
    [database, role],
  )
  return others.rows.map(({ datname }) => datname)
}

async function drop(client: Client, facts: PlaneDatabase): Promise<void> {
  const found = await findDatabase(client, facts)
  if (found?.isOwn === true) {
    const statement = `DROP DATABASE ${quoted(facts.database)}`
    try {
      // PostgreSQL waits some seconds for sessions to end, such as those of a kine that was killed.
      await client.query(statement)
    } catch (error) {
      if (!hasErrorCode(error, '55006')) {
        throw error
      }
      await client.query(`${statement} WITH (FORCE)`)
    }
  }
  await client.query(`DROP ROLE IF EXISTS ${quoted(facts.role)}`)
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
