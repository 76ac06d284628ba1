import { existsSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { connect as connectTls } from 'node:tls'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Cli, createCli } from '../../support/cli/cli.ts'
import { PATIENT, startWriter } from '../../support/data/config-map-writer.ts'
import { fillConfigMaps } from '../../support/data/fill-config-maps.ts'
import { streamedList } from '../../support/data/streamed-list.ts'
import { planeUserIn } from '../../support/driver/plane-requests.ts'
import { connectionIn } from '../../support/host/credential-secret.ts'
import { listeningSockets } from '../../support/machine/listening-sockets.ts'

const SPEC = `
store: { kine: { sqlite: {} } }
encryption: { secrets: true, provider: aesgcm }
`
const COMPONENTS = ['kine', 'kube-apiserver', 'kube-controller-manager']

// In their order: all of them are about one plane.
describe('a plane of this machine with sqlite', { shuffle: false }, () => {
  let cli: Cli
  let spec: string

  beforeAll(async () => {
    cli = await createCli()
    spec = join(cli.root, 'spec.yaml')
    writeFileSync(spec, SPEC)
    await cli.ok(['create', 'light', '--driver', 'local', '--file', spec, '--connect'])
    await cli.kubectlOk(['create', 'configmap', 'kept'])
    await cli.kubectlOk(['create', 'secret', 'generic', 'hidden', '--from-literal=word=plain'])
  })
  afterAll(() => cli[Symbol.asyncDispose]())

  test('runs kine instead of etcd, and says so', async () => {
    const described = await cli.json(['describe', 'light', '--json'])
    const text = await cli.ok(['describe', 'light'])

    expect(Object.keys(cli.ids()).toSorted()).toEqual(COMPONENTS)
    expect(described.spec).toMatchObject({
      store: { kine: { sqlite: {} } },
      kineVersion: '0.17.2',
    })
    expect(text).toContain('kine 0.17.2 with sqlite')
    expect(existsSync(cli.plane('light').etcdData)).toBe(false)
    expect(await cli.ok(['logs', 'light', 'kine'])).toContain(
      'Kine available at https://127.0.0.1:',
    )
  })

  test('keeps its file from other users, and opens one port, for its own clients', async () => {
    const { sqliteData } = cli.plane('light')
    const [socket, ...others] = listeningSockets([cli.ids()['kine'] ?? 0])

    const modes = readdirSync(sqliteData).map(
      (name) => statSync(join(sqliteData, name)).mode & 0o777,
    )
    expect(modes.length).toBeGreaterThan(0)
    expect(new Set(modes)).toEqual(new Set([0o600]))
    expect(statSync(sqliteData).mode & 0o777).toBe(0o700)
    expect([socket?.address, others]).toEqual(['127.0.0.1', []])
    expect(await endOfStranger(socket?.port ?? 0)).toContain('CERTIFICATE_REQUIRED')
  })

  test('keeps the log of sqlite small', { timeout: 120_000 }, async () => {
    const connection = connectionIn(await cli.ok(['kubeconfig', 'light', '--embed-credentials']))
    const { sqliteData } = cli.plane('light')
    const mebibytesOf = (name: string) => statSync(join(sqliteData, name)).size / 1024 ** 2

    // 24 MB of log, if nothing of it came into the file. Readers may delay that for a moment.
    await fillConfigMaps(connection, { count: 500, bytes: 1024, atOnce: 8 })

    await expect.poll(() => mebibytesOf('state.db'), { timeout: 60_000 }).toBeGreaterThan(0.5)
    await expect.poll(() => mebibytesOf('state.db-wal'), { timeout: 60_000 }).toBeLessThan(17)
  })

  test('stores Secrets as the spec says', () => {
    const { sqliteData } = cli.plane('light')
    const stored = readdirSync(sqliteData).map((name) => readFileSync(join(sqliteData, name)))

    expect(stored.some((bytes) => bytes.includes('k8s:enc:aesgcm:v1:'))).toBe(true)
    expect(stored.some((bytes) => bytes.includes(Buffer.from('plain')))).toBe(false)
  })

  test('streams lists to watches, as clients of now ask for', async () => {
    const user = planeUserIn(await cli.ok(['kubeconfig', 'light', '--embed-credentials']))

    const text = await streamedList(user)

    expect(text).toContain('"name":"kept"')
    expect(text).toContain('"type":"BOOKMARK"')
  })

  test('loses no acknowledged write when kine is killed, and watches continue', async () => {
    const args = ['get', 'configmaps', '--watch-only', '-o', 'name']
    const watch = cli.start(args, { program: cli.binaries.kubectl })
    const writer = await startWriter(cli, ['light'], PATIENT)
    await expect.poll(() => writer.soFar()).not.toEqual([])
    await watch.says('configmap/')
    const { kine = 0, ...others } = cli.ids()

    process.kill(kine, 'SIGKILL')
    await expect.poll(() => cli.ids()['kine']).toBeUndefined()
    const { stderr } = await cli.run(['repair', 'light', '--yes'])
    const before = (await writer.soFar()).length
    await expect.poll(async () => (await writer.soFar()).length).toBeGreaterThan(before + 2)
    const { taken } = await writer.stop()
    await cli.kubectlOk(['create', 'configmap', 'after'])

    expect(cli.ids(), stderr).toMatchObject(others)
    expect(await names()).toEqual(expect.arrayContaining(taken))
    await watch.says('configmap/after')
    await watch.kill()
  })

  // kine 0.17.3 to 0.17.5 acknowledge a create whose INSERT fails (.github/decisions/0031-kine-0-17-2.md).
  test('acknowledges no write that sqlite refuses', async () => {
    const isRefused = `NEW.name LIKE '%/configmaps/default/refused'`
    using database = new DatabaseSync(cli.plane('light').sqliteFile, { timeout: 30_000 })
    database.exec(
      `CREATE TRIGGER refuse BEFORE INSERT ON kine WHEN ${isRefused} BEGIN SELECT RAISE(ABORT, 'refused'); END`,
    )

    const { code, stderr } = await cli.kubectl(['create', 'configmap', 'refused'])
    database.exec('DROP TRIGGER refuse')

    expect(code, stderr).toBe(1)
    expect(await names()).not.toContain('refused')
  })

  test('restarts kine that hangs', async () => {
    const { kine = 0 } = cli.ids()
    process.kill(kine, 'SIGSTOP')

    // One that has just been started may only need time.
    const shown = async () => (await cli.run(['repair', 'light', '--dry-run'])).stdout
    await expect.poll(shown, { timeout: 60_000 }).toContain('restart kine')
    const { code, stderr } = await cli.run(['repair', 'light', '--yes'])

    expect(code, stderr).toBe(0)
    expect(cli.ids()['kine']).not.toBe(kine)
    expect(await names()).toContain('kept')
  })

  test('keeps its objects and revisions over a pause, of which it takes no snapshot', async () => {
    const before = await revision()

    await cli.ok(['pause', 'light'])
    const paused = cli.processes()
    await cli.ok(['resume', 'light'])

    expect(paused).toEqual([])
    expect(await cli.json(['snapshot', 'list', '--json'])).toMatchObject({ items: [] })
    expect(await names()).toContain('kept')
    expect(await revision()).toBeGreaterThanOrEqual(before)
  })

  test('never starts without its data', async () => {
    const { sqliteFile } = cli.plane('light')
    await cli.ok(['pause', 'light'])
    renameSync(sqliteFile, `${sqliteFile}.away`)

    const resumed = await cli.run(['resume', 'light'])
    const repaired = await cli.run(['repair', 'light', '--yes'])

    expect([resumed.code, repaired.code]).toEqual([7, 7])
    expect(resumed.stderr).toContain('the data of "light" is missing')
    expect(repaired.stderr).toContain('its data is lost')
    expect(repaired.stderr).toContain('vplane restore light --force')
    renameSync(`${sqliteFile}.away`, sqliteFile)
    await cli.ok(['resume', 'light'])
    expect(await names()).toContain('kept')
  })

  test.for([
    ['metrics', 'light', '--component', 'kine'],
    ['metrics', 'light', '--component', 'etcd'],
    ['scale', 'light', '--etcd', '3'],
    ['upgrade', 'light', '--etcd-version', '3.6.99'],
    ['set', 'light', 'store.etcd={}', 'store.kine-', '--yes'],
    ['set', 'light', 'etcd.goGc=80', '--yes'],
  ])('refuses "%s %s %s" with what to do instead', async (args) => {
    const { code, stderr } = await cli.run(args)

    expect(code).toBe(2)
    expect(stderr).toContain('hint: ')
  })

  test('replaces its certificates, CAs and encryption key', async () => {
    await cli.ok(['certs', 'rotate', 'light', '--yes'])
    for (const keys of ['rotate-ca', 'rotate-encryption-key']) {
      const done = await cli.json([
        'certs',
        keys,
        'light',
        '--stage',
        'complete',
        '--yes',
        '--json',
      ])
      expect(done).toMatchObject({ changed: true, stages: ['prepare', 'switch', 'complete'] })
    }

    expect(await cli.kubectlOk(['get', 'secret', 'hidden', '-o', 'jsonpath={.data.word}'])).toBe(
      Buffer.from('plain').toString('base64'),
    )
  })

  test('pauses itself, and starts for its next client', async () => {
    await cli.ok(['set', 'light', 'idle=10s', '--yes'])
    const status = async () => (await cli.json(['describe', 'light', '--json'])).status
    await expect.poll(status, { timeout: 120_000 }).toBe('Paused')

    expect(await names()).toContain('kept')
    expect(Object.keys(cli.ids())).toEqual(expect.arrayContaining(COMPONENTS))
    await cli.ok(['set', 'light', 'idle-', '--yes'])
  })

  test('leaves nothing', async () => {
    await cli.ok(['delete', 'light', '--yes'])

    await expect.poll(() => cli.processes()).toEqual([])
    expect(existsSync(cli.plane('light').root)).toBe(false)
  })

  test('is upgraded after a snapshot', async () => {
    const old = ['old', '--driver', 'local']
    await cli.ok([
      'create',
      ...old,
      '--file',
      spec,
      '--version',
      '1.35',
      '--ephemeral',
      '--connect',
    ])
    await cli.kubectlOk(['create', 'configmap', 'kept'])

    const plan = await cli.ok(['upgrade', 'old', '--version', '1.36', '--dry-run'])
    await cli.ok(['upgrade', 'old', '--version', '1.36', '--yes'])

    expect(plan).toContain('take a snapshot of its data')
    expect(plan).not.toContain('etcd')
    expect(await cli.json(['describe', 'old', '--json'])).toMatchObject({ version: '1.36.3' })
    expect(cli.argsOf('kine').join()).toContain('_synchronous=OFF')
    expect(await names()).toContain('kept')
  })

  async function names(): Promise<string[]> {
    const found = await cli.kubectlOk([
      'get',
      'configmaps',
      '-o',
      'jsonpath={.items[*].metadata.name}',
    ])
    return found.split(' ')
  }

  async function revision(): Promise<number> {
    const path = 'jsonpath={.metadata.resourceVersion}'
    return Number(await cli.kubectlOk(['get', 'configmaps', '-o', path]))
  }
})

/** How a connection without a certificate ends. */
function endOfStranger(port: number): Promise<string> {
  return new Promise((resolve) => {
    const socket = connectTls({ host: '127.0.0.1', port, rejectUnauthorized: false })
    const code = (error: Error) => ('code' in error ? String(error.code) : error.message)
    socket.once('error', (error) => resolve(code(error)))
    socket.once('close', () => resolve('closed without a reason'))
    socket.once('secureConnect', () => socket.write('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'))
  })
}
