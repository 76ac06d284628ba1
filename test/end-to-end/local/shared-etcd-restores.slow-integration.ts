import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { logicalHeader, logicalKeys } from '../../../src/backup/logical/read-logical.ts'
import { fingerprintOf } from '../../../src/etcd/data/data-fingerprint.ts'
import { prefixRange } from '../../../src/etcd/data/prefix-range.ts'
import { currentRevision } from '../../../src/etcd/data/read-keys.ts'
import { readRange } from '../../../src/etcd/data/read-range.ts'
import { deleteKeys } from '../../../src/etcd/shared/delete-keys.ts'
import { deleteUser } from '../../../src/etcd/shared/etcd-users.ts'
import { type Informer, startInformer } from '../../support/api/informer.ts'
import { type Cli, createCli } from '../../support/cli/cli.ts'
import { createAgain } from '../../support/data/create-again.ts'
import { eventsSince, REVISION } from '../../support/data/revisions.ts'
import { inOrder, LOGICAL_HEADER, logicalBytes } from '../../support/data/logical-keys.ts'
import { startEtcd, type TestEtcd } from '../../support/databases/start-etcd.ts'

const NEVER = new AbortController().signal
const ENCRYPTED = { encryption: { secrets: true } }

// In their order: all of them are about one plane, and another one beside it.
describe('snapshots and restores of a plane with a shared etcd', { shuffle: false }, () => {
  let cli: Cli
  let etcd: TestEtcd
  let file: string
  let informer: Informer

  beforeAll(async () => {
    etcd = await startEtcd()
    cli = await createCli()
    file = join(cli.root, 'light.snapshot')
    await create('light', { store: { etcd: { shared: etcd.spec } }, ...ENCRYPTED })
    await create('other', { store: { etcd: { shared: etcd.spec } } })
    await create('small', { store: { kine: { sqlite: {} } }, etcd: { prefix: '/tenants/small' } })
    await kubectl('light', 'create', 'configmap', 'kept')
    await kubectl('light', 'create', 'secret', 'generic', 'hush')
    await kubectl('other', 'create', 'configmap', 'own')
    informer = await startInformer(cli, ['other'])
  })
  afterAll(async () => {
    await informer[Symbol.asyncDispose]()
    await cli[Symbol.asyncDispose]()
    await etcd[Symbol.asyncDispose]()
  })

  test('takes a snapshot of the keys of the plane alone', async () => {
    const taken = await cli.json(['snapshot', 'create', 'light', '-o', file, '--json'])

    const { prefix } = stored()
    const keys = (await Array.fromAsync(logicalKeys(file))).map(({ key }) => String(key))
    expect(taken).toMatchObject({ format: 'logical' })
    expect(await logicalHeader(file)).toMatchObject({ store: 'shared etcd', prefix })
    expect(keys.filter((key) => !key.startsWith(`${prefix}/`))).toEqual([])
    expect(keys.toSorted()).toEqual((await etcd.keys(`${prefix}/`)).toSorted())
  })

  test('goes back to it after a restore that was interrupted, and touches no other plane', async () => {
    const before = await steadyDataOf('other')
    await kubectl('light', 'create', 'configmap', 'later')
    await kubectl('light', 'delete', 'configmap', 'kept')
    const known = Number(await kubectl('light', 'get', 'configmap', 'later', REVISION))
    const args = ['restore', 'light', '--from', file, '--force', '--yes']
    const first = cli.start(args)
    await expect.poll(formerKeys, { timeout: 120_000, interval: 5 }).toHaveLength(1)
    await first.kill()

    const resumed = await cli.run(['resume', 'light'])
    const saved = await cli.run(['snapshot', 'create', 'light', '-o', join(cli.root, 'part')])
    await cli.ok(args)

    for (const refused of [resumed, saved]) {
      expect(refused).toMatchObject({ code: 7 })
      expect(refused.stderr).toContain('a restore of "light" was interrupted')
    }
    expect(await names('light')).toContain('kept')
    expect(await names('light')).not.toContain('later')
    expect(await kubectl('light', 'get', 'secret', 'hush', '-o=name')).toBe('secret/hush\n')
    const version = Number(await kubectl('light', 'get', 'configmap', 'kept', REVISION))
    expect(version).toBeGreaterThan(known)
    const watch = `watch=1&resourceVersion=${known}&timeoutSeconds=5`
    expect(await kubectl('light', 'get', '--raw', `/api/v1/configmaps?${watch}`)).toContain(
      '"code":410',
    )
    expect(formerKeys()).toEqual([])
    expect(await dataOf('other')).toEqual(before)
    await kubectl('other', 'create', 'configmap', 'after')
    await informer.sees('after')
    expect(informer.lists()).toBe(1)
  })

  test('shows a client that comes back every change, also without the cache of watches', async () => {
    await kubectl('light', 'create', '-f', writeEvent('seen'))
    const known = Number(await kubectl('light', 'get', 'event', 'seen', REVISION))

    await restore('light', file)

    const seen = await kubectl('light', 'get', '--raw', eventsSince(known))
    expect(seen).toContain('"type":"DELETED"')
    expect(seen).toContain('"name":"seen"')
  })

  test('takes the data of sqlite, whose keys have another prefix', async () => {
    const ofSqlite = join(cli.root, 'small.snapshot')
    await kubectl('small', 'create', 'configmap', 'of-sqlite')
    await cli.ok(['snapshot', 'create', 'small', '-o', ofSqlite])

    await restore('light', ofSqlite)

    expect(await names('light')).toContain('of-sqlite')
    expect(await names('light')).not.toContain('kept')
    expect(await etcd.keys('/tenants')).toEqual([])
  })

  test('takes a snapshot that etcd has sent, and gives its own to etcd and sqlite', async () => {
    const ofEtcd = join(cli.root, 'full.db')
    const ofOther = join(cli.root, 'other.snapshot')
    await create('full', {})
    onTestFinished(async () => void (await cli.ok(['delete', 'full', '--yes'])))
    await kubectl('full', 'create', 'configmap', 'of-etcd')
    await cli.ok(['snapshot', 'create', 'full', '-o', ofEtcd])
    await cli.ok(['snapshot', 'create', 'other', '-o', ofOther])

    await restore('light', ofEtcd)
    expect(await names('light')).toContain('of-etcd')
    await restore('full', ofOther)
    await restore('small', ofOther)

    expect(await names('full')).toEqual(expect.arrayContaining(['own', 'after']))
    expect(await names('small')).toEqual(await names('full'))
  })

  test('refuses data with later revisions, and changes nothing', async () => {
    const later = join(cli.root, 'later.snapshot')
    await restore('light', file)
    // The revisions of sqlite are a billion later since its restore.
    await cli.ok(['snapshot', 'create', 'small', '-o', later])
    const state = async () => [cli.ids(), await names('light'), await etcd.names()]
    const before = await state()

    const { code, stderr } = await cli.run([
      'restore',
      'light',
      '--from',
      later,
      '--force',
      '--yes',
    ])

    expect(code).toBe(4)
    expect(stderr).toMatch(/is at revision \d+, and clients of the data know revision 1\d{9}/)
    expect(stderr).toContain('hint: ')
    expect(await state()).toEqual(before)
  })

  test('has its former data again when the etcd refuses a key', async () => {
    const large = join(cli.root, 'large.snapshot')
    const { prefix } = stored()
    const key = { key: Buffer.from(`${prefix}/zz/large`), value: Buffer.alloc(1.7 * 1024 ** 2) }
    const keys = [...(await Array.fromAsync(logicalKeys(file))), key]
    writeFileSync(large, await logicalBytes(keys, { ...LOGICAL_HEADER, prefix }))
    await kubectl('light', 'create', 'configmap', 'unsaved')

    const failed = await cli.run(['restore', 'light', '--from', large, '--force', '--yes'])

    expect(failed).toMatchObject({ code: 7 })
    expect(failed.stderr).toContain('request is too large; it has its former data again')
    expect(await names('light')).toEqual(expect.arrayContaining(['kept', 'unsaved']))
    expect(await cli.json(['describe', 'light', '--json'])).toMatchObject({ status: 'Ready' })
    expect(formerKeys()).toEqual([])
  })

  test('keeps its former keys in a file when it is told to take no snapshot', async () => {
    const args = ['restore', 'light', '--from', file, '--force', '--yes', '--no-snapshot']

    const { stderr } = await cli.run(args)

    const [former = ''] = formerKeys()
    expect(stderr).toContain(`Its former data is retained in ${former}`)
    expect(await names('light')).not.toContain('unsaved')
    await restore('light', former)
    expect(await names('light')).toContain('unsaved')
  })

  test('is created again from a bundle, with a prefix and a user of its own', async () => {
    await createAgain(cli, 'light')
    onTestFinished(async () => void (await cli.ok(['delete', 'again', '--yes'])))

    expect(stored('again').prefix).not.toBe(stored().prefix)
    expect(await kubectl('again', 'get', 'secret', 'hush', '-o=name')).toBe('secret/hush\n')
  })

  test('is restored when its keys and its user are lost', async () => {
    const root = await etcd.as('root')
    await cli.ok(['pause', 'light'])
    await deleteKeys(root, stored().prefix, NEVER)
    const empty = await cli.run(['resume', 'light'])
    await deleteUser(root, stored().user, NEVER)

    await restore('light', file)

    expect(empty).toMatchObject({ code: 7 })
    expect(empty.stderr).toContain('vplane restore light --from SNAPSHOT --force')
    expect(await names('light')).toContain('kept')
    expect(await etcd.names()).toContain(stored().user)
  })

  test('refuses an etcd that has gone back, and deletes everything in the end', async () => {
    const record = cli.plane('light').record
    const revision = await currentRevision(await etcd.as('root'), NEVER)
    const known = revision + 1_000_000
    const former = readFileSync(record, 'utf8')
    const changed = former.replace(/"revisionFloor": \d+/, `"revisionFloor": ${known}`)
    writeFileSync(record, changed)

    const refused = await cli.run(['restore', 'light', '--from', file, '--force', '--yes'])
    writeFileSync(record, former)
    const { prefix } = stored()
    await cli.ok(['delete', 'light', '--yes'])

    expect(changed).not.toBe(former)
    expect(refused).toMatchObject({ code: 4 })
    expect(refused.stderr).toContain(`clients of the data know revision ${known}`)
    expect(await etcd.keys(prefix)).toEqual([])
    expect(existsSync(cli.plane('light').root)).toBe(false)
  })

  async function create(name: string, spec: object): Promise<void> {
    const path = join(cli.root, `${name}.json`)
    writeFileSync(path, JSON.stringify(spec))
    await cli.ok(['create', name, '--driver', 'local', '--file', path])
  }

  function restore(name: string, from: string): Promise<string> {
    return cli.ok(['restore', name, '--from', from, '--force', '--yes'])
  }

  function kubectl(name: string, ...words: string[]): Promise<string> {
    return cli.ok(['connect', name, '--', 'kubectl', ...words])
  }

  async function names(name: string): Promise<string[]> {
    const path = 'jsonpath={.items[*].metadata.name}'
    return (await kubectl(name, 'get', 'configmaps', '-o', path)).split(' ')
  }

  /** Count and hash of all keys of a plane, without the Leases that its components renew. */
  async function dataOf(name: string) {
    const range = prefixRange(stored(name).prefix)
    const pairs = readRange(await etcd.as('root'), { ...range, limit: 100, signal: NEVER })
    const steady = (await Array.fromAsync(pairs)).filter(
      ({ key }) => !String(key).includes('/leases/'),
    )
    return fingerprintOf(inOrder(steady))
  }

  /** The same, when its components have stored what they store at their start. */
  async function steadyDataOf(name: string) {
    let [former, current] = [{}, await dataOf(name)]
    const isSteady = async () => {
      ;[former, current] = [current, await dataOf(name)]
      return JSON.stringify(former) === JSON.stringify(current)
    }
    await expect.poll(isSteady, { timeout: 60_000, interval: 3000 }).toBe(true)
    return current
  }

  function formerKeys(): string[] {
    return globSync(join(cli.plane('light').root, 'keys-before-*'))
  }

  function writeEvent(name: string): string {
    const path = join(cli.root, 'event.json')
    const involvedObject = { kind: 'ConfigMap', name: 'kept', namespace: 'default' }
    const metadata = { name, namespace: 'default' }
    const event = { apiVersion: 'v1', kind: 'Event', metadata, involvedObject }
    writeFileSync(path, JSON.stringify(event))
    return path
  }

  function stored(name = 'light'): { prefix: string; user: string } {
    return JSON.parse(readFileSync(cli.plane(name).sharedEtcd.facts, 'utf8'))
  }
})
