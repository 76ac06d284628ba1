import type { Duplex } from 'node:stream'
import { checkServerIdentity } from 'node:tls'
import { Client, DatabaseError } from 'pg'
import type { Access } from '../dialect/database-dialect.ts'
import { databaseError } from '../dialect/database-error.ts'
import type { PlaneDatabase } from '../dialect/plane-database.ts'

const CONNECT_MS = 10_000
const STATEMENT_MS = 60_000

export type Connection = Client & AsyncDisposable

/**
 * Connects to one database of a server. Every setting is explicit, since the package reads variables and files of the user
 * for the others.
 */
export async function connect(
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
      ca,
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
export function isAnswer(error: unknown): boolean {
  return error instanceof DatabaseError && error.code?.startsWith('57') !== true
}
