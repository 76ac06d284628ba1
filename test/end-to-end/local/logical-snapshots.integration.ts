import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createKubeClient } from '../../../src/kube/client/client.ts'
import type { Access } from '../../../src/control-plane/use-cases/access/access.ts'
import { type Cli, createCli } from '../../support/cli/cli.ts'

const BUMP = 1_000_000_000
const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps'
const SQLITE = ['--set', 'store.kine.sqlite={}']

describe('snapshots of all keys, between stores of this machine', { shuffle: false }, () => {
  let cli: Cli
  let file: string

  beforeAll(async () => {
    cli = await createCli()
    file = join(cli.root, 'light.snapshot')
    await cli.ok(['create', 'light', '--driver', 'local', ...SQLITE])
    await kubectl('light', 'create', 'configmap', 'before')
    await putMany('light', 700)
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

    await restore('light')

    await expectRestored('light', version)
    expect(await kubectl('light', 'get', 'configmaps', '-o=name')).not.toContain('configmap/after')
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
    const watch = `watch=1&resourceVersion=${version}&timeoutSeconds=5`
    expect((await client.text(`${CONFIG_MAPS}?${watch}`)).body).toContain('"code":410')
    await kubectl(name, 'create', 'configmap', 'later')
    expect(await versionOf(name, 'later')).toBeGreaterThan(await versionOf(name, 'before'))
  }

  function restore(name: string): Promise<string> {
    return cli.ok(['restore', name, '--from', file, '--force', '--yes'])
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
