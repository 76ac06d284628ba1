import { globSync } from 'node:fs'
import { appendFile, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createConnection, type RowDataPacket } from 'mysql2/promise'
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

const PACKAGES = { name: 'mariadb-v1', packages: ['mariadb-server-core'] }

const SUPERUSER = { user: 'root', password: 'hush-root-77ab' }

/** MariaDB as Debian has it. It ends connections that were idle for some seconds. */
export async function startMariaDb({
  address,
  isDurable = false,
  parent,
}: ServerOptions = {}): Promise<TestServer> {
  await using stack = new AsyncDisposableStack()
  const { path: folder } = stack.use(await temporaryFolder(parent))
  const { path: program, root } = await debianProgram(PACKAGES, 'usr/sbin/mariadbd')
  const files = await writeServerFiles(folder, address)
  const port = await freePort()
  const libraries = globSync(join(root, 'usr/lib/*-linux-gnu')).join(':')
  const where = { folder, log: files.log, env: { TZ: 'UTC', LD_LIBRARY_PATH: libraries } }
  const common = ['--no-defaults', `--basedir=${join(root, 'usr')}`, `--datadir=${files.data}`]
  await initialize([program, ...common], join(root, 'usr/share/mysql'), where)
  const accounts = join(folder, 'accounts.sql')
  await writeFile(accounts, accountsOf(files.owner), { mode: 0o600 })
  const args = [
    ...common,
    `--init-file=${accounts}`,
    `--bind-address=${['127.0.0.1', UNNAMED, address ?? ''].filter(Boolean).join()}`,
    `--port=${port}`,
    `--socket=${join(folder, 'socket')}`,
    `--pid-file=${join(folder, 'pid')}`,
    `--ssl-cert=${files.certificate}`,
    `--ssl-key=${files.key}`,
    '--require-secure-transport=1',
    '--skip-name-resolve',
    ...(isDurable
      ? []
      : ['--general-log', `--general-log-file=${files.log}`, '--innodb-flush-log-at-trx-commit=2']),
    '--innodb-buffer-pool-size=64M',
    '--wait-timeout=5',
    // Unlike that of most servers.
    '--sql-mode=ANSI_QUOTES',
  ]
  const query: TestServer['query'] = async (sql, as = {}) => {
    const client = await createConnection({
      host: '127.0.0.1',
      port,
      ...SUPERUSER,
      ...as,
      // Whatever name it has.
      ssl: { ca: await readFile(files.ca) },
    })
    client.on('error', () => {})
    try {
      return (await client.query<RowDataPacket[]>(sql))[0]
    } finally {
      await client.end()
    }
  }
  const { start, stop } = serverProgram([program, ...args], where, {
    title: 'MariaDB',
    signal: 'SIGKILL',
    ask: () => query('SELECT 1'),
  })
  stack.defer(stop)
  await start()
  const owned = stack.move()
  return {
    kind: 'mysql',
    port,
    files,
    superuser: SUPERUSER,
    query,
    start,
    stop,
    names: async () => {
      const rows = await query(
        'SELECT schema_name AS name FROM information_schema.schemata UNION ALL SELECT user FROM mysql.user',
      )
      return rows.map((row) => JSON.stringify(row))
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

/** The owner may make databases of some names only. The server reads this at each start. */
function accountsOf({ password, user }: { user: string; password: string }): string {
  return `CREATE USER IF NOT EXISTS 'root'@'%' IDENTIFIED BY '${SUPERUSER.password}';
GRANT ALL ON *.* TO 'root'@'%' WITH GRANT OPTION;
CREATE USER IF NOT EXISTS '${user}'@'%' IDENTIFIED BY '${password}';
GRANT CREATE USER ON *.* TO '${user}'@'%';
GRANT ALL ON \`vplane-%\`.* TO '${user}'@'%' WITH GRANT OPTION;
`
}

/** Makes the tables of the server itself, as `mariadb-install-db` does. */
async function initialize(
  server: readonly string[],
  share: string,
  where: Parameters<typeof startProgram>[1],
): Promise<void> {
  const sql = join(where.folder, 'system.sql')
  const texts = ['mysql_system_tables', 'mysql_performance_tables', 'mysql_system_tables_data']
  await writeFile(sql, 'CREATE DATABASE mysql;\nUSE mysql;\nSET @auth_root_socket = NULL;\n')
  for (const name of texts) {
    await appendFile(sql, await readFile(join(share, `${name}.sql`)))
  }
  // Those without a password.
  await appendFile(sql, "DELETE FROM global_priv WHERE User = 'root';\n")
  const bootstrap = `"$@" --bootstrap --innodb-buffer-pool-size=64M < ${sql}`
  const done = await startProgram(['/bin/sh', '-c', bootstrap, 'sh', ...server], where)
  await waitFor(async () => !done.isAlive(), { what: 'the tables of MariaDB', timeoutMs: 120_000 })
}
