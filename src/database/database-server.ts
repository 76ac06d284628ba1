import { readFile, stat } from 'node:fs/promises'
import type { DatabaseKind } from '../control-plane/store/store.ts'
import { fieldAt } from '../shared/json-fields.ts'
import { unlessErrorCode, VplaneError } from '../shared/errors.ts'
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

async function readCa({ caFile }: PlaneDatabase): Promise<string | undefined> {
  return caFile === undefined ? undefined : await readOwn(caFile, 'the CAs of the database')
}

/** The owner's account. Nobody else may be able to read it: its password opens all databases of the server. */
async function readAccount({ credentialsFile: path = '' }: PlaneDatabase): Promise<Account> {
  const text = await readOwn(path, 'the credentials for the database')
  if (((await stat(path)).mode & 0o077) !== 0) {
    throw new VplaneError('FAILED', `other users of this machine can read ${path}`, {
      hints: [`chmod 600 ${path}`],
    })
  }
  const value = parseSecretYaml(text, path)
  const [user, password] = [fieldAt(value, 'username'), fieldAt(value, 'password')]
  if (typeof user !== 'string' || typeof password !== 'string') {
    const message = `${path} does not have the fields "username" and "password" with texts`
    throw new VplaneError('FAILED', message)
  }
  return { user, password }
}

async function readOwn(path: string, what: string): Promise<string> {
  const codes = ['ENOENT', 'EACCES', 'EISDIR', 'ENOTDIR']
  const text = await unlessErrorCode(codes, readFile(path, 'utf8'))
  if (text === undefined) {
    throw new VplaneError('FAILED', `cannot read ${what}: ${path}`, {
      hints: ['create this file, or allow your user to read it'],
    })
  }
  return text
}
