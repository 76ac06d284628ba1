import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { PlaneDetails } from '../../../src/cli/results/plane-result.ts'
import { type DatabaseKind, STORES } from '../../../src/control-plane/store/store.ts'
import type { PlaneDatabase } from '../../../src/database/dialect/plane-database.ts'
import { lostWhile } from '../data/config-map-writer.ts'
import { expectNewRevisions, REVISION } from '../data/revisions.ts'
import { staleLists } from '../data/stale-lists.ts'
import { createHostCli, type HostCli } from '../host/host-cli.ts'
import { twoServers } from '../host/planes/two-servers.ts'
import { type HostDatabase, startHostDatabase } from './host-database.ts'

const PATIENT = { timeout: 120_000, interval: 250 }
const KINE = ['--selector', 'vplane.dev/component=kine']

/** What the role of a plane may not do without its own database, the schema where kine's table is, and all tables of kine. */
const OF_KIND = {
  mysql: {
    refused: 'SELECT 1 FROM mysql.user',
    schema: '',
    tables:
      'SELECT table_name AS name FROM information_schema.tables WHERE table_schema = DATABASE()',
  },
  postgres: {
    refused: 'SELECT 1',
    schema: 'kine.',
    tables: `SELECT table_schema AS name FROM information_schema.tables WHERE table_name = 'kine'`,
  },
}

/** Tests of a plane in a host namespace, from its creation to its deletion. They need their order: all are about one plane. */
export function testHostDatabase(kind: DatabaseKind): void {
  const { title } = STORES[kind]
  const { refused, schema, tables } = OF_KIND[kind]
  let cli: HostCli
  let database: HostDatabase
  let before: string[]
  let at: string[]

  beforeAll(async () => {
    cli = await createHostCli()
    database = await startHostDatabase(cli, kind)
    before = await database.server.names()
    at = ['--namespace', database.namespace]
    await cli.ok(['create', 'light', ...at, '--file', database.spec, '--connect'])
    await cli.kubectlOk(['create', 'configmap', 'kept'])
  })
  afterAll(async () => {
    await cli[Symbol.asyncDispose]()
    await database[Symbol.asyncDispose]()
  })

  test('runs kine without a volume, with a database of its own', async () => {
    await untilReady()

    expect(await described()).toMatchObject({
      components: [
        { name: 'kine', state: 'running', instance: 'vplane-light-kine-0' },
        { name: 'kube-apiserver' },
        { name: 'kube-controller-manager' },
      ],
    })
    expect(await cli.ok(['describe', 'light', ...at])).toContain(`kine 0.17.2 with ${title}`)
    expect((await database.server.names()).length).toBe(before.length + 2)
    expect(await cli.host(['get', 'pvc', ...at, '-o=name'])).toBe('')
    expect(await cli.host(['get', 'pods', ...at, '-o=name'])).not.toContain('light-database')
  })

  test('loses no acknowledged write when the pod of kine is killed', async () => {
    const lost = await lostWhile(cli, ['light', ...at], () =>
      cli.host(['delete', 'pod', ...at, ...KINE, '--now']),
    )

    expect(lost).toEqual([])
    await expect.poll(found, PATIENT).toContain('kept')
    await untilReady()
  })

  test('keeps its objects over a pause', async () => {
    await cli.ok(['pause', 'light', ...at])
    await cli.ok(['resume', 'light', ...at])

    expect(await found()).toContain('kept')
    await untilReady()
  })

  test('is restored from a snapshot of all keys, and leaves nothing of its former data', async () => {
    const file = join(dirname(cli.kubeconfig), 'light.snapshot')
    await cli.ok(['snapshot', 'create', 'light', ...at, '--output', file])
    const known = Number(await cli.kubectlOk(['create', 'configmap', 'later', REVISION]))
    await cli.ok(['restore', 'light', ...at, '--from', file, '--force', '--yes'])

    expect(await found()).toContain('kept')
    expect(await found()).not.toContain('later')
    await expectNewRevisions(cli, known)
    const place = { database: (await facts()).database }
    expect(await database.server.query(tables, place)).not.toContainEqual({
      name: expect.stringMatching(/^kine./),
    })
    expect(await cli.host(['get', 'pods', ...at, '-o=name'])).not.toContain('light-database')
    await untilReady()
  })

  test('tells each of two kube-apiservers what the other one has deleted', async () => {
    await cli.ok(['scale', 'light', ...at, '--api-server', '2', '--yes'])
    await using servers = await twoServers(cli, { name: 'light', namespace: database.namespace })

    expect(await staleLists(servers.users, 50)).toBe(0)
  })

  test('lets kine connect to its database alone, as a role that reaches nothing else', async () => {
    const kine = await textsOf('vplane-light-kine')
    const { database: own, host, password, role } = await facts()
    const { owner, query } = { ...database.server, ...database.server.files }
    const selected = ['--selector', 'vplane.dev/name=light', '-o=json']
    const objects = await cli.host(['get', 'pods,secrets,configmaps', ...at, ...selected])
    const policy = await cli.hostJson(['get', 'networkpolicy', 'vplane-light-kine-egress', ...at])

    // Neither the Secrets of the plane nor its pods have the password of the owner, and kine has only that of its role.
    const secretsOfOwner = [owner.password, btoa(owner.password)]
    expect(secretsOfOwner.filter((word) => objects.includes(word))).toEqual([])
    expect(objects).not.toContain('"secretName":"owner"')
    expect(kine['database_endpoint']).toContain(`://${role}:${password}@`)
    await expect(query(refused, { user: role, password })).rejects.toThrow(/ denied /)
    expect(await query('SELECT 1 AS one', { user: role, password, database: own })).toEqual([
      { one: 1 },
    ])
    const to = [{ ipBlock: { cidr: `${host}/32` } }]
    const ports = [{ protocol: 'TCP', port: database.server.port }]
    expect(policy.spec.egress).toEqual([{ to, ports }])
  })

  test.for([
    ['scale', 'light', '--etcd', '3'],
    ['move', 'light', '--driver', 'local', '--yes'],
    ['delete', 'light', '--keep-data', '--yes'],
    ['set', 'light', 'store.kine.sqlite={}', `store.kine.${kind}-`, '--yes'],
  ])('refuses "%s %s %s" with what to do instead', async (args) => {
    const { code, stderr } = await cli.run([...args, ...at])

    expect(code, stderr).toBe(2)
    expect(stderr).toContain('hint: ')
  })

  test('pauses itself, and starts for its next client', async () => {
    await cli.ok(['set', 'light', ...at, 'idle=30s', '--yes'])
    await cli.ok(['connect', 'light', ...at])
    await expect.poll(async () => (await described()).status, PATIENT).toBe('Paused')
    await expect.poll(() => cli.host(['get', 'pods', ...at, '-o=name']), PATIENT).toBe('')

    expect(await cli.kubectlOk(['get', 'configmaps', '-o=name'])).toContain('configmap/kept')
    await cli.ok(['set', 'light', ...at, 'idle-', '--yes'])
  })

  test('stays paused without its server and with an empty database', async () => {
    const { server } = database
    await cli.ok(['pause', 'light', ...at])
    await server.stop()
    const unreachable = await cli.run(['resume', 'light', ...at])
    await server.start()
    const place = { database: (await facts()).database }
    await server.query(`ALTER TABLE ${schema}kine RENAME TO away`, place)
    const empty = await cli.run(['resume', 'light', ...at])

    expect(unreachable).toMatchObject({ code: 5 })
    expect(unreachable.stderr).toContain(`cannot connect to ${title} at`)
    expect(empty).toMatchObject({ code: 7 })
    expect(empty.stderr).toContain('the data of "light" is missing')
    expect((await described()).status).toBe('Paused')
    await server.query(`ALTER TABLE ${schema}away RENAME TO kine`, place)
    await cli.ok(['resume', 'light', ...at])
    expect(await found()).toContain('kept')
  })

  test('is not deleted while its server does not answer', async () => {
    const { server } = database
    await server.stop()
    const failed = await cli.run(['delete', 'light', ...at, '--yes'])
    await server.start()

    expect(failed).toMatchObject({ code: 5 })
    expect(failed.stderr).toContain(`vplane delete light ${at.join(' ')} --leave-data`)
    // The context of a plane is deleted first, so that no client starts it again.
    await cli.ok(['connect', 'light', ...at])
    await expect.poll(found, PATIENT).toContain('kept')
  })

  test('leaves nothing: neither the database nor the role', async () => {
    await cli.ok(['delete', 'light', ...at, '--yes'])

    expect(await database.server.names()).toEqual(before)
    expect(await left()).toBe('secret/owner')
  })

  test('leaves its database when it is told to', async () => {
    const { server } = database
    await cli.ok(['create', 'light', ...at, '--file', database.spec])
    const { database: name } = await facts()
    await server.stop()

    const text = await cli.ok(['delete', 'light', ...at, '--leave-data', '--yes'])

    await server.start()
    expect(text).toContain(`Kept the database "${name}"`)
    expect((await server.names()).join()).toContain(name)
    expect(await left()).toBe('secret/owner')
  })

  function left(): Promise<string> {
    return cli.host(['get', 'all,pvc,secret,networkpolicy', ...at, '-o=name'])
  }

  async function textsOf(secret: string): Promise<Record<string, string>> {
    const { data } = await cli.hostJson(['get', 'secret', secret, ...at])
    const entries = Object.entries(data).map(([key, value]) => [key, atob(String(value))])
    return Object.fromEntries(entries)
  }

  async function facts(): Promise<PlaneDatabase> {
    return JSON.parse((await textsOf('vplane-light-ca'))['database.json'] ?? '')
  }

  async function found(): Promise<string[]> {
    const path = 'jsonpath={.items[*].metadata.name}'
    const { stdout } = await cli.kubectl(['get', 'configmaps', '-o', path])
    return stdout.split(' ')
  }

  function described(): Promise<PlaneDetails> {
    return cli.json(['describe', 'light', ...at, '--json'])
  }

  async function untilReady(): Promise<void> {
    await expect.poll(async () => (await described()).status, PATIENT).toBe('Ready')
  }
}
