import { appendFile, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Client } from 'pg'
import { waitFor } from '../../../src/shared/wait.ts'
import { freePort } from '../machine/free-port.ts'
import { temporaryFolder } from '../machine/temporary-folder.ts'
import { debianProgram, serverProgram, startProgram } from './database-program.ts'
import {
  type ServerOptions,
  type TestServer,
  UNNAMED,
  writeServerFiles,
} from './database-server.ts'

const PACKAGES = { name: 'postgresql-v1', packages: ['postgresql'] }

const SUPERUSER = { user: 'root', password: 'hush-root-77ab' }

/** PostgreSQL as Debian has it. */
export async function startPostgres({
  address,
  isDurable = false,
  parent,
}: ServerOptions = {}): Promise<TestServer> {
  await using stack = new AsyncDisposableStack()
  const { path: folder } = stack.use(await temporaryFolder(parent))
  const { path: postgres } = await debianProgram(PACKAGES, 'usr/lib/postgresql/*/bin/postgres')
  const files = await writeServerFiles(folder, address)
  const port = await freePort()
  const where = { folder, log: files.log, env: { TZ: 'UTC', LANG: 'C' } }
  await initialize(join(dirname(postgres), 'initdb'), files.data, where)
  const clients = ['127.0.0.0/8', ...(address === undefined ? [] : ['all'])]
  const rules = clients.map((range) => `hostssl all all ${range} scram-sha-256\n`)
  await writeFile(join(files.data, 'pg_hba.conf'), rules)
  await appendFile(
    join(files.data, 'postgresql.conf'),
    `listen_addresses = '${['127.0.0.1', UNNAMED, address ?? ''].filter(Boolean).join()}'\nport = ${port}\nunix_socket_directories = ''
ssl = on\nssl_cert_file = '${files.certificate}'\nssl_key_file = '${files.key}'
${isDurable ? '' : "fsync = off\nlog_statement = 'all'\n"}max_connections = 200\n`,
  )
  const query: TestServer['query'] = async (sql, { database = 'postgres', ...as } = {}) => {
    const client = new Client({
      host: '127.0.0.1',
      port,
      database,
      ...SUPERUSER,
      ...as,
      ssl: { ca: await readFile(files.ca), checkServerIdentity: () => undefined },
    })
    client.on('error', () => {})
    try {
      await client.connect()
      return (await client.query<Record<string, unknown>>(sql)).rows
    } finally {
      await client.end()
    }
  }
  const { start, stop } = serverProgram([postgres, '-D', files.data], where, {
    title: 'PostgreSQL',
    signal: 'SIGQUIT',
    ask: () => query('SELECT 1'),
  })
  stack.defer(stop)
  await start()
  const { password, user } = files.owner
  await query(`CREATE ROLE "${user}" LOGIN CREATEDB CREATEROLE PASSWORD '${password}'`)
  await query('REVOKE CONNECT ON DATABASE postgres, template1 FROM PUBLIC')
  await query(`GRANT CONNECT ON DATABASE postgres TO "${user}"`)
  const owned = stack.move()
  return {
    kind: 'postgres',
    port,
    files,
    superuser: SUPERUSER,
    query,
    start,
    stop,
    names: async () => {
      const rows = await query(
        'SELECT datname AS name FROM pg_database UNION ALL SELECT rolname FROM pg_roles',
      )
      return rows.map((row) => JSON.stringify(row))
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

async function initialize(
  initdb: string,
  data: string,
  where: Parameters<typeof startProgram>[1],
): Promise<void> {
  const passwordFile = join(where.folder, 'root-password')
  await writeFile(passwordFile, SUPERUSER.password, { mode: 0o600 })
  const done = await startProgram(
    [
      initdb,
      '-D',
      data,
      '-U',
      SUPERUSER.user,
      '--pwfile',
      passwordFile,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      '--locale=C',
      '--no-sync',
    ],
    where,
  )
  await waitFor(async () => !done.isAlive(), { what: 'initdb', timeoutMs: 120_000 })
}
