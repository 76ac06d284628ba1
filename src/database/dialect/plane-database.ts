import { randomBytes } from 'node:crypto'
import {
  DATABASE_PORTS,
  type DatabaseKind,
  type DatabaseSpec,
} from '../../control-plane/store/store.ts'
import { omitUndefined } from '../../shared/omit-undefined.ts'
import { hasFields, hasOptional, parseStored, stampOf } from '../../shared/stored-format.ts'
import { fieldAt } from '../../shared/json-fields.ts'

const FORMAT_VERSION = 1

/** Letters of the plane's name in that of its role. */
const NAME_LENGTH = 16

/** The database and the role of one plane, as they are stored in its folder or in a Secret. */
export interface PlaneDatabase extends DatabaseSpec {
  kind: DatabaseKind
  port: number
  database: string
  role: string
  password: string
}

/** New names and a new password for a plane. No other plane has the same role, also of another machine. */
export function newPlaneDatabase(
  name: string,
  wanted: DatabaseSpec & { kind: DatabaseKind },
): PlaneDatabase {
  const role = `vplane-${name.slice(0, NAME_LENGTH)}-${randomBytes(4).toString('hex')}`
  return {
    ...wanted,
    port: wanted.port ?? DATABASE_PORTS[wanted.kind],
    database: wanted.database ?? role,
    role,
    password: randomBytes(32).toString('hex'),
  }
}

/** What `parsePlaneDatabase` reads. */
export function formatPlaneDatabase(database: PlaneDatabase): string {
  return `${JSON.stringify({ ...stampOf({ writtenBy: '' }, FORMAT_VERSION), ...database }, null, 2)}\n`
}

/** @throws {VplaneError} `FAILED` when it is damaged or has a newer format. */
export function parsePlaneDatabase(text: string, source: string): PlaneDatabase {
  const format = { source, formatVersion: FORMAT_VERSION }
  const stored = parseStored(text, format, isPlaneDatabase)
  const { caFile, credentialsFile, credentialsSecret, ...required } = stored
  const { database, host, kind, password, port, role } = required
  const facts = { kind, host, port, database, role, password }
  return omitUndefined({ ...facts, caFile, credentialsFile, credentialsSecret })
}

/** Where the server is, as texts name it. */
export function serverName({ host, port }: Pick<PlaneDatabase, 'host' | 'port'>): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`
}

/**
 * The connection as kine reads it from its environment. It always checks the certificate of the server and its name; the CAs
 * are an argument of kine.
 */
export function kineEndpoint(facts: PlaneDatabase): string {
  const { caFile, credentialsSecret, database, kind, password, role } = facts
  const account = `${role}:${password}`
  if (kind === 'postgres') {
    return `postgres://${account}@${serverName(facts)}/${database}?sslmode=verify-full`
  }
  // Both check the name. With `tls=true`, kine ignores the CAs of its argument, which it always has in a pod.
  const hasCa = caFile !== undefined || credentialsSecret !== undefined
  const tls = hasCa ? '' : 'tls=true&'
  // In other modes, the server cuts values that do not fit.
  const parameters = `${tls}sql_mode=%27TRADITIONAL%27`
  return `mysql://${account}@tcp(${serverName(facts)})/${database}?${parameters}`
}

function isPlaneDatabase(value: unknown): value is PlaneDatabase {
  return (
    hasFields(value, {
      host: 'string',
      port: 'number',
      database: 'string',
      role: 'string',
      password: 'string',
    }) &&
    hasOptional(value, 'string', ['caFile', 'credentialsFile', 'credentialsSecret']) &&
    Object.keys(DATABASE_PORTS).includes(String(fieldAt(value, 'kind')))
  )
}
