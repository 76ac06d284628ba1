import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { logicalKeys } from '../../../src/backup/logical/read-logical.ts'
import type { PlaneDetails } from '../../../src/cli/results/plane-result.ts'
import type { SnapshotListResult } from '../../../src/commands/snapshot/list.ts'
import { createKubeClient } from '../../../src/kube/client/client.ts'
import type { Access } from '../../../src/control-plane/use-cases/access/access.ts'
import { waitFor } from '../../../src/shared/wait.ts'
import { type Cli, createCli } from '../../support/cli/cli.ts'
import { createAgain } from '../../support/data/create-again.ts'
import { eventsSince } from '../../support/data/revisions.ts'

const BUMP = 1_000_000_000
const SQLITE = ['--set', 'store.kine.sqlite={}']

describe('snapshots of all keys, between stores of this machine', { shuffle: false }, () => {
  let cli: Cli
  let file: string

  beforeAll(async () => {
    cli = await createCli()
    file = join(cli.root, 'light.snapshot')
    await cli.ok(['create', 'light', '--driver', 'local', ...SQLITE])
    await cli.ok(['create', 'full', '--driver', 'local'])
    await kubectl('light', 'create', 'configmap', 'before')
    await putMany('light', 700)
    await putEvent('light')
  })
  afterAll(() => cli[Symbol.asyncDispose]())

  test('takes one of sqlite while the plane runs, in more than one page', async () => {
    const taken = await cli.json(['snapshot', 'create', 'light', '-o', file, '--json'])

    expect(taken).toMatchObject({ format: 'logical', sizeBytes: statSync(file).size })
    expect(readFileSync(file, 'latin1')).toMatch(/^vplane logical snapshot\n\{"formatVersion":1,/)
    expect(await cli.run(['snapshot', 'create', 'light'])).toMatchObject({ code: 0 })
    expect(await cli.json(['snapshot', 'list', '--json'])).toMatchObject({
      items: [{ plane: 'light', format: 'logical' }],
    })
  })

  test('goes back to it, and tells old watches to start again', async () => {
    await kubectl('light', 'create', 'configmap', 'after')
    const version = await versionOf('light', 'after')

    await restore('light', file)

    await expectRestored('light', version)
    expect(await kubectl('light', 'get', 'configmaps', '-o=name')).not.toContain('configmap/after')
  })

  test('has backups by a schedule, and goes back to one', async () => {
    await kubectl('light', 'create', 'configmap', 'backed-up')
    await cli.ok(['set', 'light', 'backup.schedule=hourly', '--yes'])
    const id = await waitFor(
      async () => {
        const { backup }: PlaneDetails = await cli.json(['describe', 'light', '--json'])
        return backup?.last?.id
      },
      { what: 'the backup', timeoutMs: 60_000 },
    )
    await cli.ok(['set', 'light', 'backup-', '--yes'])
    await kubectl('light', 'delete', 'configmap', 'backed-up')
    const { items }: SnapshotListResult = await cli.json(['snapshot', 'list', '--json'])

    await restore('light', id)

    expect(items.find((one) => one.id === id)).toMatchObject({ plane: 'light', format: 'logical' })
    expect(await kubectl('light', 'get', 'configmap', 'backed-up', '-o=name')).toBe(
      'configmap/backed-up\n',
    )
  })

  test('brings it to a plane with etcd, which keeps it over a restart', async () => {
    await kubectl('full', 'create', 'configmap', 'own')
    const version = await versionOf('full', 'own')

    await restore('full', file)
    await cli.ok(['pause', 'full'])
    await cli.ok(['resume', 'full'])

    await expectRestored('full', version)
    expect(await kubectl('full', 'get', 'configmaps', '-o=name')).not.toContain('configmap/own')
  })

  test.for([
    ['all keys of etcd', ['--logical'], 'logical'],
    ['the database of etcd', [], 'etcd'],
  ] as const)('brings %s to a plane with sqlite', async ([, flags, format]) => {
    const ofEtcd = join(cli.root, `full.${format}`)
    const made = `in-${format}`
    await kubectl('full', 'create', 'configmap', made)
    const taken = await cli.json(['snapshot', 'create', 'full', '-o', ofEtcd, ...flags, '--json'])
    await kubectl('light', 'create', 'configmap', `before-${format}`)
    const version = await versionOf('light', `before-${format}`)

    await restore('light', ofEtcd)

    expect(taken.format).toBe(format)
    await expectRestored('light', Math.max(version, taken.revision))
    expect(await kubectl('light', 'get', 'configmaps', '-o=name')).toContain(`configmap/${made}`)
  })

  test('keeps the values as they were, and the life of what expires', async () => {
    const before = await keysIn(file)
    const now = join(cli.root, 'now')
    await cli.ok(['snapshot', 'create', 'light', '-o', now])

    const after = await keysIn(now)

    const many = [...before.keys()].filter((key) => key.includes('/many-'))
    expect(many).toHaveLength(700)
    expect(many.map((key) => after.get(key)?.value)).toEqual(
      many.map((key) => before.get(key)?.value),
    )
    const [event = ''] = [...before.keys()].filter((key) => key.includes('/events/default/seen'))
    const lives = [before, after].map((keys) => keys.get(event)?.ttlSeconds ?? 0)
    // kube-apiserver asks for an hour, and a minute for other Events with the same lease.
    expect(lives).toEqual(lives.map(() => expect.toSatisfy((life) => life > 1800 && life <= 3660)))
  })

  test('creates a plane with sqlite again from a bundle', async () => {
    await createAgain(cli, 'light')

    expect(await kubectl('again', 'get', 'configmap', 'before', '-o=name')).toBe(
      'configmap/before\n',
    )
    expect(await cli.json(['describe', 'again', '--json'])).toMatchObject({
      spec: { store: { kine: { sqlite: {} } } },
    })
  })

  test('refuses a damaged one, and changes nothing', async () => {
    const damaged = join(cli.root, 'damaged')
    const bytes = readFileSync(file)
    bytes[bytes.length - 100] = (bytes.at(-100) ?? 0) ^ 1
    writeFileSync(damaged, bytes)
    const before = cli.ids()

    const args = ['restore', 'light', '--from', damaged, '--force', '--yes']
    const { code, stderr } = await cli.run(args)

    expect(code).toBe(7)
    expect(stderr).toContain('is damaged')
    expect(cli.ids()).toEqual(before)
  })

  /** The plane has what was in the snapshot, later revisions, and no earlier ones. */
  async function expectRestored(name: string, version: number): Promise<void> {
    expect(
      (await kubectl(name, 'get', 'configmaps', '-l=many', '-o=name')).split('\n').length,
    ).toBe(701)
    expect(await versionOf(name, 'before')).toBeGreaterThan(version + BUMP / 2)
    const access: Access = JSON.parse(readFileSync(cli.plane(name).access, 'utf8'))
    await using client = createKubeClient(access)
    expect((await client.text(eventsSince(version))).body).toContain('"code":410')
    const restored = await versionOf(name, 'before')
    await kubectl(name, 'annotate', 'configmap', 'before', `after=${version}`, '--overwrite')
    expect(await versionOf(name, 'before')).toBeGreaterThan(restored)
  }

  function restore(name: string, from: string): Promise<string> {
    return cli.ok(['restore', name, '--from', from, '--force', '--yes'])
  }

  async function keysIn(
    path: string,
  ): Promise<Map<string, { value: string; ttlSeconds?: number }>> {
    const keys = await Array.fromAsync(logicalKeys(path))
    return new Map(
      keys.map(({ key, value, ...life }) => [
        key.toString(),
        { ...life, value: value.toString('hex') },
      ]),
    )
  }

  async function putEvent(name: string): Promise<void> {
    const event = {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name: 'seen', namespace: 'default' },
      involvedObject: { kind: 'ConfigMap', name: 'before', namespace: 'default' },
    }
    const path = join(cli.root, 'event.json')
    writeFileSync(path, JSON.stringify(event))
    await kubectl(name, 'create', '-f', path)
  }

  function kubectl(name: string, ...words: string[]): Promise<string> {
    return cli.ok(['connect', name, '--', 'kubectl', ...words])
  }

  async function versionOf(name: string, configMap: string): Promise<number> {
    const path = '-o=jsonpath={.metadata.resourceVersion}'
    return Number(await kubectl(name, 'get', 'configmap', configMap, path))
  }

  async function putMany(name: string, count: number): Promise<void> {
    const items = Array.from({ length: count }, (_, index) => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: `many-${index}`, labels: { many: 'yes' } },
    }))
    const list = join(cli.root, 'many.json')
    writeFileSync(list, JSON.stringify({ apiVersion: 'v1', kind: 'List', items }))
    await kubectl(name, 'create', '-f', list)
  }
})
