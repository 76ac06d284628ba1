import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { resolveSpec } from '../../src/control-plane/spec/resolve-spec.ts'
import { openDatabaseServer } from '../../src/database/database-server.ts'
import {
  kineEndpoint,
  newPlaneDatabase,
  type PlaneDatabase,
} from '../../src/database/dialect/plane-database.ts'
import { ensureBinaries } from '../../src/drivers/local/binaries/ensure-binaries.ts'
import { processEnvironment } from '../../src/shared/environment.ts'
import { pathsOf } from '../../src/shared/paths.ts'
import { silentUi } from '../../src/shared/ui.ts'
import { noDatabases } from '../support/databases/database-program.ts'
import { type TestServer, UNNAMED } from '../support/databases/database-server.ts'
import { SERVERS } from '../support/databases/servers.ts'
import { endsWithTest } from '../support/ends-with-test.ts'
import { temporaryFolder } from '../support/machine/temporary-folder.ts'

const READY = 'Kine available'

for (const [kind, startServer] of SERVERS) {
  describe.skipIf(noDatabases() !== undefined)(`kine with ${kind}`, () => {
    let server: TestServer
    let facts: PlaneDatabase

    beforeAll(async () => {
      server = await startServer()
      const { files, port } = server
      facts = newPlaneDatabase('dev', {
        kind,
        host: '127.0.0.1',
        port,
        caFile: files.ca,
        credentialsFile: files.credentials,
      })
      await using owner = await openDatabaseServer(facts)
      await owner.ensure()
    }, 300_000)
    afterAll(() => server[Symbol.asyncDispose]())

    test('starts with the rights of a plane, and leaves its table as it is', async () => {
      const before = await tableOf(facts)

      const kine = await startKine(facts)

      await expect.poll(kine.log, { timeout: 30_000 }).toContain(READY)
      expect(await tableOf(facts)).toEqual(before)
      expect(kine.log()).not.toContain(facts.password)
    })

    test('deletes old revisions with the rights of a plane', async () => {
      const flags = [
        '--compact-interval=1s',
        '--compact-interval-jitter=0',
        '--compact-min-retain=0',
      ]
      const kine = await startKine(facts, flags)
      await expect.poll(kine.log, { timeout: 30_000 }).toContain(READY)
      const user = { user: facts.role, password: facts.password, database: facts.database }
      const columns = 'name, created, deleted, create_revision, prev_revision, lease, value'
      const last = `SELECT MAX(id) AS id FROM kine WHERE name = '/a'`

      await server.query(`INSERT INTO kine (${columns}) VALUES ('/a', 1, 0, 0, 0, 0, 'one')`, user)
      await server.query(
        `INSERT INTO kine (${columns})
         SELECT '/a', 0, 0, last.id, last.id, 0, 'two' FROM (${last}) AS last`,
        user,
      )

      const count = () => server.query(`SELECT prev_revision FROM kine WHERE name = '/a'`, user)
      await expect.poll(count, { timeout: 30_000 }).toHaveLength(1)
    })

    test.for([
      ['of another CA', { caFile: 'otherCa' }],
      ['of a CA that the machine does not trust', { caFile: undefined }],
      ['whose certificate has another address', { host: UNNAMED }],
    ] as const)('does not connect to a server %s', async ([, change]) => {
      const { caFile, ...rest } = { ...facts, ...change }
      const path = caFile === 'otherCa' ? server.files.otherCa : caFile

      const kine = await startKine({ ...rest, ...(path === undefined ? {} : { caFile: path }) })

      await expect.poll(kine.log, { timeout: 30_000 }).toContain('x509: certificate')
      expect(kine.log()).not.toContain(READY)
    })

    /** Of PostgreSQL, kine itself makes it. */
    async function tableOf({ database }: PlaneDatabase): Promise<unknown[]> {
      const statement = 'SHOW COLUMNS FROM kine'
      return kind === 'mysql' ? await server.query(statement, { database }) : []
    }
  })
}

/** kine without a plane, on a socket in the folder of the server. */
async function startKine(
  facts: PlaneDatabase,
  flags: readonly string[] = [],
): Promise<{ log: () => string }> {
  const environment = processEnvironment()
  const { etcdVersion, version: kubernetesVersion } = resolveSpec({})
  const { signal } = new AbortController()
  const { kine } = await ensureBinaries(
    { kubernetesVersion, etcdVersion, names: ['kine'] },
    { paths: pathsOf(environment), environment, ui: silentUi, signal },
  )
  const { path } = endsWithTest(await temporaryFolder())
  const child = spawn(
    kine,
    [
      `--listen-address=unix://${join(path, 'kine.sock')}`,
      '--metrics-bind-address=0',
      ...flags,
      ...(facts.caFile === undefined ? [] : [`--ca-file=${facts.caFile}`]),
    ],
    { env: { KINE_ENDPOINT: kineEndpoint(facts) }, stdio: ['ignore', 'pipe', 'pipe'] },
  )
  const ended = once(child, 'exit')
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended
  })
  let text = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
  }
  return { log: () => text }
}
