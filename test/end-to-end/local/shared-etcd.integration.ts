import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { SharedEtcdSpec } from '../../../src/control-plane/store/store.ts'
import { rangeOverGrpc } from '../../../src/etcd/data/range-over-grpc.ts'
import { deleteKeys } from '../../../src/etcd/shared/delete-keys.ts'
import { ensureUser } from '../../../src/etcd/shared/etcd-users.ts'
import { prefixRange } from '../../../src/etcd/data/prefix-range.ts'
import { sharedEtcdConnection } from '../../../src/etcd/shared/shared-etcd-connection.ts'
import { type Cli, createCli } from '../../support/cli/cli.ts'
import { startEtcd, type TestEtcd } from '../../support/databases/start-etcd.ts'
import { rejectionOf } from '../../support/thrown-by.ts'

const NEVER = new AbortController().signal

/** A plane whose user and role its owner has made. */
const OWNED = { user: 'team-b', prefix: '/planes/owned' }

// In their order: all of them are about one plane, and another one beside it.
describe('a plane of this machine with a shared etcd', { shuffle: false }, () => {
  let cli: Cli
  let etcd: TestEtcd
  let before: string[]

  beforeAll(async () => {
    etcd = await startEtcd()
    await ensureUser(await etcd.as('root'), OWNED, NEVER)
    before = await etcd.names()
    cli = await createCli()
    await cli.ok(['create', 'light', '--driver', 'local', '--file', spec('light'), '--connect'])
    await cli.kubectlOk(['create', 'configmap', 'kept'])
  })
  afterAll(async () => {
    await cli[Symbol.asyncDispose]()
    await etcd[Symbol.asyncDispose]()
  })

  test('runs no etcd, and has its keys below a prefix of its own', async () => {
    const { prefix, user } = stored()

    expect(components()).toEqual(['kube-apiserver', 'kube-controller-manager'])
    await expect.poll(() => statusOf('light')).toBe('Ready')
    expect(await cli.ok(['describe', 'light'])).toContain('a shared etcd')
    expect(cli.argsOf('kube-apiserver')).toContain('--etcd-compaction-interval=0')
    expect(await etcd.keys(`${prefix}/configmaps/default/kept`)).toHaveLength(1)
    expect(await etcd.keys('/registry')).toEqual([])
    expect((await etcd.names()).filter((name) => !before.includes(name))).toEqual([user, user])
    expect(statSync(cli.plane('light').sharedEtcd.key).mode & 0o777).toBe(0o600)
  })

  test('has a keeper that compacts the etcd', async () => {
    const keys = () => etcd.keys('compact_rev_key')

    await expect.poll(keys, { timeout: 60_000 }).toEqual(['compact_rev_key'])
  })

  test('uses a user and a prefix that the owner has made', async () => {
    const { caFile, endpoints } = etcd.spec
    const client = { ...etcd.certificateOf(OWNED.user), prefix: OWNED.prefix }
    const file = spec('owned', { caFile, endpoints, client })
    const names = await etcd.names()

    await cli.ok(['create', 'owned', '--driver', 'local', '--file', file])

    expect(await etcd.names()).toEqual(names)
    expect(await etcd.keys(`${OWNED.prefix}/namespaces/default`)).toHaveLength(1)
    const again = await cli.run(['create', 'thief', '--driver', 'local', '--file', file])
    expect(again).toMatchObject({ code: 4 })
    expect(again.stderr).toContain(`has keys below ${OWNED.prefix}`)
    await cli.ok(['delete', 'thief', '--yes'])
    expect(await etcd.keys(`${OWNED.prefix}/namespaces/default`)).toHaveLength(1)
  })

  test('reads no byte of another plane with its certificate', async () => {
    const { certificate, key } = cli.plane('light').sharedEtcd
    const read = (path: string) => readFileSync(path, 'utf8')
    const credentials = {
      certificate: read(certificate),
      key: read(key),
      certificateAuthority: read(etcd.spec.caFile),
    }
    const connection = await sharedEtcdConnection(etcd.spec.endpoints, credentials, NEVER)
    const readAll = (prefix: string) =>
      rangeOverGrpc(connection, { ...prefixRange(prefix), limit: 1, signal: NEVER })

    expect((await readAll(stored().prefix)).pairs).toHaveLength(1)
    expect((await rejectionOf(readAll(OWNED.prefix))).message).toContain('permission denied')
  })

  test('continues after a restart of the etcd', async () => {
    await etcd.stop()
    const found = await cli.run(['repair', 'light', '--dry-run'])
    await etcd.start()

    const create = async () => (await cli.kubectl(['create', 'configmap', 'after'])).code
    await expect.poll(create, { timeout: 60_000 }).toBe(0)
    expect(found.stdout + found.stderr).toContain('cannot reach the shared etcd')
    expect(await names()).toEqual(expect.arrayContaining(['kept', 'after']))
  })

  test('keeps its objects over a pause, and replaces its certificates', async () => {
    const { certificate } = cli.plane('light').sharedEtcd
    const former = readFileSync(certificate, 'utf8')
    await cli.ok(['pause', 'light'])
    expect(cli.argsOf('kube-apiserver').join()).not.toContain(stored().prefix)
    await cli.ok(['resume', 'light'])
    await cli.ok(['certs', 'rotate', 'light', '--yes'])

    expect(readFileSync(certificate, 'utf8')).not.toBe(former)
    expect(await cli.ok(['certs', 'check', 'light'])).toContain('shared-etcd/client')
    expect(await names()).toContain('kept')
  })

  test('encrypts its Secrets, and replaces the key', async () => {
    await cli.kubectlOk(['create', 'secret', 'generic', 'hush'])

    await cli.ok(['certs', 'rotate-encryption-key', 'light', '--stage', 'complete', '--yes'])

    expect(await cli.kubectlOk(['get', 'secret', 'hush', '-o', 'name'])).toContain('hush')
  })

  test('pauses itself, and starts for its next client', async () => {
    await cli.ok(['set', 'owned', 'idle=10s', '--yes'])
    await expect.poll(() => statusOf('owned'), { timeout: 120_000 }).toBe('Paused')

    const text = await cli.ok(['connect', 'owned', '--', 'kubectl', 'get', 'namespaces'])

    expect(text).toContain('default')
  })

  test.for([
    ['move', 'light', '--to-driver', 'kubernetes', '--yes'],
    ['metrics', 'light', '--component', 'etcd'],
    ['scale', 'light', '--etcd', '3'],
    ['set', 'light', 'store.kine.sqlite={}', '--yes'],
    ['set', 'light', 'backup.schedule=daily', '--yes'],
    ['upgrade', 'light', '--etcd-version', '3.6.99'],
  ])('refuses "%s %s %s"', async (args) => {
    const { code, stderr } = await cli.run(args)

    expect(code, stderr).toBe(2)
    expect(stderr).toContain('hint: ')
  })

  test('starts neither without the etcd nor without its keys', async () => {
    await cli.ok(['pause', 'owned'])
    await etcd.stop()
    const unreachable = await cli.run(['resume', 'owned'])
    await etcd.start()
    await deleteKeys(await etcd.as('root'), OWNED.prefix, NEVER)
    const empty = await cli.run(['resume', 'owned'])

    expect(unreachable).toMatchObject({ code: 5 })
    expect(unreachable.stderr).toContain('cannot reach the shared etcd')
    expect(empty).toMatchObject({ code: 7 })
    expect(empty.stderr).toContain('the data of "owned" is missing')
    await cli.ok(['delete', 'owned', '--yes'])
  })

  test('is deleted with its keys, or says that the etcd does not answer', async () => {
    const { prefix, user } = stored()
    await cli.ok(['create', 'old', '--driver', 'local', '--file', spec('old')])
    await etcd.stop()
    const failed = await cli.run(['delete', 'light', '--yes'])
    const running = components()
    await etcd.start()

    expect(failed).toMatchObject({ code: 5 })
    expect(failed.stderr).toContain('vplane delete light --leave-data')
    expect(running).toContain('kube-apiserver')
    await cli.ok(['delete', 'light', '--yes'])
    expect(existsSync(cli.plane('light').root)).toBe(false)
    expect(await etcd.keys(prefix)).toEqual([])
    expect(await etcd.names()).not.toContain(user)
    expect(await etcd.keys(stored('old').prefix)).not.toEqual([])
  })

  test('leaves its keys when it is told to', async () => {
    const { prefix, user } = stored('old')
    await etcd.stop()

    const text = await cli.ok(['delete', 'old', '--leave-data', '--yes'])

    await etcd.start()
    expect(text).toContain(`Kept the keys below ${prefix}`)
    expect(await etcd.keys(prefix)).not.toEqual([])
    expect(await etcd.names()).toContain(user)
    expect(existsSync(cli.plane('old').root)).toBe(false)
  })

  test('refuses an etcd without users', async () => {
    await using open = await startEtcd({ hasUsers: false })

    const { code, stderr } = await cli.run([
      'create',
      'open',
      '--driver',
      'local',
      '--file',
      spec('open', open.spec),
    ])

    expect(code).toBe(7)
    expect(stderr).toContain('lets the certificate of a plane read all keys')
    expect(components()).toEqual([])
    await cli.ok(['delete', 'open', '--yes'])
    expect(await open.names()).toEqual(['root', 'root'])
  })

  function spec(name: string, shared: SharedEtcdSpec = etcd.spec, more: object = {}): string {
    const path = join(etcd.folder, `${name}.json`)
    const encryption = { secrets: true }
    writeFileSync(path, JSON.stringify({ store: { etcd: { shared } }, encryption, ...more }))
    return path
  }

  function components(): string[] {
    const all = cli.processes().map(({ name }) => name)
    return [...new Set(all)]
      .filter((name) => name.startsWith('kube-') || name === 'etcd')
      .toSorted()
  }

  function stored(name = 'light'): { prefix: string; user: string } {
    return JSON.parse(readFileSync(cli.plane(name).sharedEtcd.facts, 'utf8'))
  }

  async function statusOf(name: string): Promise<string> {
    return (await cli.json(['describe', name, '--json'])).status
  }

  async function names(): Promise<string[]> {
    const path = 'jsonpath={.items[*].metadata.name}'
    return (await cli.kubectlOk(['get', 'configmaps', '-o', path])).split(' ')
  }
})
