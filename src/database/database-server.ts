import type { DatabaseKind } from '../control-plane/store/store.ts'
import { fieldAt } from '../shared/json-fields.ts'
import { VplaneError } from '../shared/errors.ts'
import { readOwnFile, readOwnSecret } from '../shared/files/read-own-file.ts'
import { systemAuthorities } from '../shared/network/tls/system-authorities.ts'
import { parseSecretYaml } from '../shared/yaml/yaml.ts'
import type {
  Account,
  DatabaseDialect,
  Databases,
  DatabaseServer,
} from './dialect/database-dialect.ts'
import type { PlaneDatabase } from './dialect/plane-database.ts'

const DIALECTS: Record<DatabaseKind, () => Promise<DatabaseDialect>> = {
  mysql: async () => (await import('./mysql/mysql.ts')).mysql,
  postgres: async () => (await import('./postgres/postgres.ts')).postgres,
}

/** @throws {VplaneError} `UNREACHABLE` without the server, `FAILED` if it refuses the account or a file cannot be used. */
export async function openDatabaseServer(facts: PlaneDatabase): Promise<DatabaseServer> {
  const [account, certificateAuthority] = [await readAccount(facts), await readCa(facts)]
  return await databases.open(facts, { ...account, certificateAuthority })
}

/** Servers of databases as a caller reaches them that has no files on this machine. */
export const databases: Databases = {
  open: async (facts, access) => (await DIALECTS[facts.kind]()).open(facts, access),
  hasRows: async (facts, access) => (await DIALECTS[facts.kind]()).hasRows(facts, access),
}

/** Whether the database of a plane has data. @throws {VplaneError} as `openDatabaseServer` */
export async function hasRows(facts: PlaneDatabase): Promise<boolean> {
  const access = { user: facts.role, password: facts.password }
  return await databases.hasRows(facts, { ...access, certificateAuthority: await readCa(facts) })
}

async function readCa({ caFile }: PlaneDatabase): Promise<string> {
  if (caFile === undefined) {
    return systemAuthorities()
  }
  const text = await readOwnFile(caFile, 'the CAs of the database')
  // Without one, Node.js would trust its own list.
  if (!text.includes('-----BEGIN CERTIFICATE-----')) {
    throw new VplaneError('FAILED', `there is no certificate in "${caFile}"`)
  }
  return text
}

/** The owner's account. Nobody else may be able to read it: its password opens all databases of the server. */
async function readAccount({ credentialsFile: path = '' }: PlaneDatabase): Promise<Account> {
  const text = await readOwnSecret(path, 'the credentials for the database')
  const value = parseSecretYaml(text, path)
  const [user, password] = [fieldAt(value, 'username'), fieldAt(value, 'password')]
  if (typeof user !== 'string' || typeof password !== 'string') {
    const message = `${path} does not have the fields "username" and "password" with texts`
    throw new VplaneError('FAILED', message)
  }
  return { user, password }
}
