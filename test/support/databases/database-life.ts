import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { STORES } from '../../../src/control-plane/store/store.ts'
import { type Cli, createCli } from '../cli/cli.ts'
import { PATIENT, startWriter } from '../data/config-map-writer.ts'
import { createAgain } from '../data/create-again.ts'
import { eventsSince, REVISION } from '../data/revisions.ts'
import { streamedList } from '../data/streamed-list.ts'
import { noDatabases } from './database-program.ts'
import type { TestServer } from './database-server.ts'
import type { SERVERS } from './servers.ts'
import { planeUserIn } from '../driver/plane-requests.ts'

/** What a restore adds to the revision of a snapshot. */
const BUMP = 1_000_000_000

/** Lets PostgreSQL store no ConfigMap that a restore loads. */
const LOSE_ROWS = [
  `CREATE FUNCTION public.lose() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
     IF NEW.name LIKE '%/configmaps/%' THEN RETURN NULL; END IF; RETURN NEW; END $$`,
  `CREATE FUNCTION public.lose_rows() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN
     IF to_regclass('kine_restored.kine') IS NOT NULL THEN
       CREATE TRIGGER lose BEFORE INSERT ON kine_restored.kine FOR EACH ROW EXECUTE FUNCTION public.lose();
     END IF; END $$`,
  `CREATE EVENT TRIGGER lossy ON ddl_command_end WHEN TAG IN ('CREATE TABLE') EXECUTE FUNCTION public.lose_rows()`,
]

/**
 * Tests the life of a plane of this machine with its data in a database.
 *
 * @param isWhole also what is the same with every database
 */
export function describeDatabaseLife(
  [kind, startServer]: (typeof SERVERS)[number],
  { isWhole }: { isWhole: boolean },
): void {
  // In their order: all of them are about one plane.
  const its = describe.skipIf(noDatabases() !== undefined)
  const common = test.skipIf(!isWhole)
  its(`a plane of this machine with ${kind}`, { shuffle: false }, () => {
    let cli: Cli
    let server: TestServer
    let before: string[]
    let file: string
    const { title } = STORES[kind]

    beforeAll(async () => {
      server = await startServer()
      before = await server.names()
      cli = await createCli()
      file = join(cli.root, 'light.snapshot')
      await cli.ok(['create', 'light', '--driver', 'local', '--file', spec('light'), '--connect'])
      await cli.kubectlOk(['create', 'configmap', 'kept'])
    })
    afterAll(async () => {
      await cli[Symbol.asyncDispose]()
      await server[Symbol.asyncDispose]()
    })

    test('runs kine instead of etcd, with a database of its own', async () => {
      const described = await cli.json(['describe', 'light', '--json'])
      const { database } = stored()

      expect(Object.keys(cli.ids()).toSorted()).toEqual([
        'kine',
        'kube-apiserver',
        'kube-controller-manager',
      ])
      expect(described.spec.store.kine[kind]).toMatchObject({ host: '127.0.0.1' })
      expect(await cli.ok(['describe', 'light'])).toContain(`kine 0.17.2 with ${title}`)
      expect((await server.names()).length).toBe(before.length + 2)
      expect((await server.names()).join()).toContain(database)
    })

    test('keeps the password in a file and in the environment of kine, which only its user can read', async () => {
      const { password } = stored()
      const { kine = 0 } = cli.ids()
      const { root } = cli.plane('light')
      const files = readdirSync(root, { recursive: true, encoding: 'utf8' })
        .map((name) => join(root, name))
        .filter((path) => statSync(path).isFile())

      expect(files.filter((path) => readFileSync(path).includes(password))).toEqual([
        cli.plane('light').database,
      ])
      expect(statSync(cli.plane('light').database).mode & 0o777).toBe(0o600)
      expect(statSync(`/proc/${kine}/environ`).mode & 0o777).toBe(0o400)
      expect(readFileSync(`/proc/${kine}/environ`, 'utf8')).toContain(password)
      expect(readFileSync(`/proc/${kine}/cmdline`, 'utf8')).not.toContain(password)
      expect(await cli.ok(['describe', 'light', '--json'])).not.toContain(password)
      expect(readFileSync(server.files.log, 'utf8')).not.toContain(password)
    })

    test('distinguishes names by case, and takes every character of a name', async () => {
      const odd = ['Foo', 'foo', 'föö', 'foo bar', 'foo!', 'foo ']
      for (const name of odd) {
        await cli.kubectlOk(['create', 'clusterrole', name, '--verb=get', '--resource=pods'])
      }

      const path = 'jsonpath={range .items[*]}{.metadata.name}{"\\n"}{end}'
      const found = await cli.kubectlOk(['get', 'clusterroles', '-o', path])

      expect(found.split('\n')).toEqual(expect.arrayContaining(odd))
      const pages = await cli.kubectlOk(['get', 'clusterroles', '--chunk-size=1', '-o', path])
      expect(pages).toBe(found)
      await cli.kubectlOk(['delete', 'clusterrole', 'Foo'])
      expect(await cli.kubectlOk(['get', 'clusterrole', 'foo', '-o', 'name'])).toContain('/foo')
    })

    test('gives its data to a plane with sqlite', async () => {
      const roles = ['get', 'clusterroles', '-o', 'name']
      await putEvent()
      const taken = await cli.json(['snapshot', 'create', 'light', '-o', file, '--json'])
      const kept = await cli.kubectlOk(roles)
      await cli.ok(['create', 'small', '--driver', 'local', '--set', 'store.kine.sqlite={}'])
      onTestFinished(async () => void (await cli.ok(['delete', 'small', '--yes'])))

      await cli.ok(['restore', 'small', '--from', file, '--force', '--yes'])

      const small = (...words: string[]) => cli.ok(['connect', 'small', '--', 'kubectl', ...words])
      const version = await small('get', 'configmap', 'kept', REVISION)
      expect(taken.format).toBe('logical')
      expect(readFileSync(file, 'latin1')).toContain(`"store":"${title}"`)
      expect(Number(version)).toBeGreaterThan(BUMP)
      expect(Number(version)).toBeGreaterThan(taken.revision + BUMP)
      expect(await small('get', 'event', 'seen', '-o=name')).toBe('event/seen\n')
      expect(await small(...roles)).toBe(kept)
    })

    test('goes back to its snapshot, after a restore that was interrupted too', async () => {
      await cli.kubectlOk(['create', 'configmap', 'later'])
      await cli.kubectlOk(['delete', 'configmap', 'kept'])
      const known = Number(await cli.kubectlOk(['get', 'configmap', 'later', REVISION]))
      const args = ['restore', 'light', '--from', file, '--force', '--yes']
      const first = cli.start(args)
      const record = () => readFileSync(cli.plane('light').record, 'utf8')
      await expect.poll(record, { timeout: 120_000, interval: 10 }).toContain('"restoring"')
      // kine cannot start: the former data is aside then, and the new data is not verified.
      await setLogin(false)
      await expect.poll(setAside, { timeout: 120_000 }).toHaveLength(1)
      await first.kill()
      await setLogin(true)

      const refused = await cli.run(['resume', 'light'])
      await cli.ok(args)

      expect(refused).toMatchObject({ code: 7 })
      expect(refused.stderr).toContain('a restore of "light" was interrupted')
      expect(await names()).toContain('kept')
      expect(await names()).not.toContain('later')
      const version = Number(await cli.kubectlOk(['get', 'configmap', 'kept', REVISION]))
      expect(version).toBeGreaterThan(known + BUMP)
      await cli.kubectlOk(['annotate', 'configmap', 'kept', 'again=yes'])
      const next = Number(await cli.kubectlOk(['get', 'configmap', 'kept', REVISION]))
      expect(next).toBeGreaterThan(version)
      expect(await cli.kubectlOk(['get', '--raw', eventsSince(known)])).toContain('"code":410')
      expect(await setAside()).toEqual([])
    })

    test('takes a snapshot that etcd has sent', async () => {
      const ofEtcd = join(cli.root, 'full.db')
      await cli.ok(['create', 'full', '--driver', 'local'])
      onTestFinished(async () => void (await cli.ok(['delete', 'full', '--yes'])))
      await cli.ok(['connect', 'full', '--', 'kubectl', 'create', 'configmap', 'of-etcd'])
      await cli.ok(['snapshot', 'create', 'full', '-o', ofEtcd])

      await cli.ok(['restore', 'light', '--from', ofEtcd, '--force', '--yes'])
      expect(await names()).toContain('of-etcd')
      await cli.ok(['restore', 'light', '--from', file, '--force', '--yes'])

      expect(await names()).toContain('kept')
      expect(await names()).not.toContain('of-etcd')
    })

    test.skipIf(kind !== 'postgres')(
      'has its former data again when the new data is not complete',
      async () => {
        const place = { database: stored().database }
        await cli.kubectlOk(['create', 'configmap', 'later'])
        for (const statement of LOSE_ROWS) {
          await server.query(statement, place)
        }

        const failed = await cli.run(['restore', 'light', '--from', file, '--force', '--yes'])
        await server.query('DROP EVENT TRIGGER lossy', place)

        expect(failed).toMatchObject({ code: 7 })
        expect(failed.stderr).toMatch(
          /kine of "light" has \d+ keys that are not the \d+ of the snapshot/,
        )
        expect(failed.stderr).toContain('it has its former data again')
        expect(await names()).toEqual(expect.arrayContaining(['kept', 'later']))
        await expect.poll(status).toBe('Ready')
        expect(await setAside()).toEqual([])
      },
    )

    common('is created again from a bundle, with a database of its own', async () => {
      await createAgain(cli, 'light')
      onTestFinished(async () => void (await cli.ok(['delete', 'again', '--yes'])))

      const get = ['kubectl', 'get', 'configmap', 'kept', '-o=name']
      expect(await cli.ok(['connect', 'again', '--', ...get])).toBe('configmap/kept\n')
      expect(stored('again').database).not.toBe(stored().database)
    })

    test('streams lists to watches', async () => {
      const user = planeUserIn(await cli.ok(['kubeconfig', 'light', '--embed-credentials']))

      const text = await streamedList(user)

      expect(text).toContain('"name":"kept"')
      expect(text).toContain('"type":"BOOKMARK"')
    })

    test('loses no acknowledged write when the server restarts, and watches continue', async () => {
      const args = ['get', 'configmaps', '--watch-only', '-o', 'name']
      const watch = cli.start(args, { program: cli.binaries.kubectl })
      const writer = await startWriter(cli, ['light'], PATIENT)
      await expect.poll(() => writer.soFar()).not.toEqual([])
      await watch.says('configmap/')

      await server.stop()
      await server.start()
      const ofRestart = (await writer.soFar()).length
      await expect
        .poll(async () => (await writer.soFar()).length, { timeout: 120_000 })
        .toBeGreaterThan(ofRestart + 2)
      const { taken } = await writer.stop()
      await cli.kubectlOk(['create', 'configmap', 'after'])

      expect(await names()).toEqual(expect.arrayContaining(taken))
      await watch.says('configmap/after')
      await watch.kill()
    })

    common('repairs kine that was killed or hangs', async () => {
      const { kine = 0 } = cli.ids()
      process.kill(kine, 'SIGKILL')
      await expect.poll(() => cli.ids()['kine']).toBeUndefined()
      await cli.ok(['repair', 'light', '--yes'])
      const { kine: second = 0 } = cli.ids()
      process.kill(second, 'SIGSTOP')

      const shown = async () => (await cli.run(['repair', 'light', '--dry-run'])).stdout
      await expect.poll(shown, { timeout: 60_000 }).toContain('restart kine')
      await cli.ok(['repair', 'light', '--yes'])

      expect(cli.ids()['kine']).not.toBe(second)
      expect(await names()).toContain('kept')
    })

    common('keeps its objects over a pause, and replaces its certificates and CAs', async () => {
      await cli.ok(['pause', 'light'])
      expect(cli.processes()).toEqual([])
      await cli.ok(['resume', 'light'])
      await cli.ok(['certs', 'rotate', 'light', '--yes'])
      await cli.ok(['certs', 'rotate-ca', 'light', '--stage', 'complete', '--yes'])

      expect(await names()).toContain('kept')
    })

    common('pauses itself, and starts for its next client', async () => {
      await cli.ok(['set', 'light', 'idle=10s', '--yes'])
      await expect.poll(status, { timeout: 120_000 }).toBe('Paused')

      expect(await names()).toContain('kept')
      await cli.ok(['set', 'light', 'idle-', '--yes'])
    })

    common.for([
      ['metrics', 'light', '--component', 'kine'],
      ['scale', 'light', '--etcd', '3'],
      ['set', 'light', 'store.kine.sqlite={}', '--yes'],
    ])('refuses "%s %s %s"', async (args) => {
      const { code, stderr } = await cli.run(args)

      expect(code, stderr).toBe(2)
      expect(stderr).toContain('hint: ')
    })

    test('starts neither without its server nor with an empty database', async () => {
      await cli.ok(['pause', 'light'])
      await server.stop()
      const unreachable = await cli.run(['resume', 'light'])
      await server.start()
      const place = { database: stored().database }
      const table = kind === 'postgres' ? 'kine.kine' : 'kine'
      await server.query(`ALTER TABLE ${table} RENAME TO away`, place)
      const empty = await cli.run(['resume', 'light'])

      expect(unreachable).toMatchObject({ code: 5 })
      expect(unreachable.stderr).toContain('cannot connect to')
      expect(empty).toMatchObject({ code: 7 })
      expect(empty.stderr).toContain('the data of "light" is missing')
      const away = kind === 'postgres' ? 'kine.away' : 'away'
      await server.query(`ALTER TABLE ${away} RENAME TO kine`, place)
      await cli.ok(['resume', 'light'])
      expect(await names()).toContain('kept')
    })

    common('is upgraded', async () => {
      await cli.ok(['create', 'old', '--driver', 'local', '-f', spec('old'), '--version', '1.35'])
      await cli.ok(['connect', 'old'])
      await cli.kubectlOk(['create', 'configmap', 'kept'])

      await cli.ok(['upgrade', 'old', '--version', '1.36', '--yes'])

      expect(await names()).toContain('kept')
      expect(await cli.ok(['snapshot', 'list', '--json'])).toContain('"plane": "old"')
      await cli.ok(['delete', 'old', '--yes'])
    })

    test('is deleted with its database, or says that its server does not answer', async () => {
      const { database, role } = stored()
      await server.stop()
      const failed = await cli.run(['delete', 'light', '--yes'])
      const processes = Object.keys(cli.ids())
      await server.start()

      expect(failed).toMatchObject({ code: 5 })
      expect(failed.stderr).toContain('vplane delete light --leave-data')
      expect(processes).toContain('kube-apiserver')
      await cli.ok(['delete', 'light', '--yes'])
      expect(existsSync(cli.plane('light').root)).toBe(false)
      expect((await server.names()).join()).not.toContain(role)
      expect((await server.names()).join()).not.toContain(database)
      expect(await server.names()).toEqual(before)
    })

    test('leaves its database when it is told to', async () => {
      await cli.ok(['create', 'left', '--driver', 'local', '-f', spec('left')])
      const { database } = stored('left')
      await server.stop()

      const text = await cli.ok(['delete', 'left', '--leave-data', '--yes'])

      await server.start()
      expect(text).toContain(`Kept the database "${database}"`)
      expect((await server.names()).join()).toContain(database)
      expect(existsSync(cli.plane('left').root)).toBe(false)
    })

    function spec(name: string): string {
      const { files, port } = server
      const path = join(files.folder, `${name}.json`)
      const place = { host: '127.0.0.1', port }
      const database = { ...place, caFile: files.ca, credentialsFile: files.credentials }
      writeFileSync(path, JSON.stringify({ store: { kine: { [kind]: database } } }))
      return path
    }

    /** Tables with data that a restore has replaced. */
    async function setAside(): Promise<unknown[]> {
      const column = kind === 'postgres' ? 'table_schema' : 'table_name'
      const sql = `SELECT table_name FROM information_schema.tables WHERE ${column} LIKE 'kine-before-%'`
      return await server.query(sql, { database: stored().database })
    }

    async function setLogin(isAllowed: boolean): Promise<void> {
      const { role } = stored()
      await server.query(
        kind === 'postgres'
          ? `ALTER ROLE "${role}" ${isAllowed ? 'LOGIN' : 'NOLOGIN'}`
          : `ALTER USER '${role}'@'%' ACCOUNT ${isAllowed ? 'UNLOCK' : 'LOCK'}`,
      )
    }

    async function putEvent(): Promise<void> {
      const involvedObject = { kind: 'ConfigMap', name: 'kept', namespace: 'default' }
      const metadata = { name: 'seen', namespace: 'default' }
      const path = join(cli.root, 'event.json')
      writeFileSync(
        path,
        JSON.stringify({ apiVersion: 'v1', kind: 'Event', metadata, involvedObject }),
      )
      await cli.kubectlOk(['create', '-f', path])
    }

    function stored(name = 'light'): { database: string; role: string; password: string } {
      return JSON.parse(readFileSync(cli.plane(name).database, 'utf8'))
    }

    async function status(): Promise<string> {
      return (await cli.json(['describe', 'light', '--json'])).status
    }

    async function names(): Promise<string[]> {
      const path = 'jsonpath={.items[*].metadata.name}'
      return (await cli.kubectlOk(['get', 'configmaps', '-o', path])).split(' ')
    }
  })
}
