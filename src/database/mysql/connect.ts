import { connect as connectSocket } from 'node:net'
import { createConnection, type Connection, type RowDataPacket } from 'mysql2/promise'
import { fieldAt } from '../../shared/json-fields.ts'
import type { Access } from '../dialect/database-dialect.ts'
import { databaseError } from '../dialect/database-error.ts'
import type { PlaneDatabase } from '../dialect/plane-database.ts'

const CONNECT_MS = 10_000

/** How long the server may take for one statement. */
export const STATEMENT_MS = 60_000

/** Connects to a server, and perhaps to one database of it. */
export async function connect(
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
      ssl: { ca, rejectUnauthorized: true, verifyIdentity: true },
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
export function isAnswer(error: unknown): boolean {
  const state = fieldAt(error, 'sqlState')
  return typeof state === 'string' && !state.startsWith('08')
}

/** The rows that a statement returns. */
export async function rowsOf(
  client: Connection,
  sql: string,
  values: string[] = [],
): Promise<RowDataPacket[]> {
  const [rows] = await client.query<RowDataPacket[]>({ sql, values, timeout: STATEMENT_MS })
  return rows
}
