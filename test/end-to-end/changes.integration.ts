import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { type Cli, createCli } from '../support/cli.ts'

const TIMEOUT_MS = 300_000

/** An API that Kubernetes 1.36 has in another version alone. */
const WORKLOADS = [
  'featureGates.GenericWorkload=true',
  'apiServer.extraArgs.runtime-config=scheduling.k8s.io/v1alpha1=true',
].flatMap((setting) => ['--set', setting])

// In their order: all of them change one plane.
describe('changes of a plane of this machine', { shuffle: false, timeout: TIMEOUT_MS }, () => {
  let cli: Cli

  beforeAll(async () => {
    cli = await createCli()
    await cli.ok(['create', 'day', '--driver', 'local', '--version', '1.35', ...WORKLOADS])
    await cli.ok(['connect', 'day', '--', 'kubectl', 'create', 'configmap', 'kept'])
  })
  afterAll(async () => {
    await cli[Symbol.asyncDispose]()
  })

  test('restarts the component whose flag is set, and no other', async () => {
    const before = ids()

    const { code, stderr } = await cli.run(['set', 'day', 'apiServer.extraArgs.v=2', '--yes'])

    expect(code, stderr).toBe(0)
    expect(stderr).toContain('+ apiServer.extraArgs.v: "2"')
    const { 'kube-apiserver': apiServer, ...others } = ids()
    expect(before).toMatchObject(others)
    expect(apiServer).not.toBe(before['kube-apiserver'])
    expect(argsOf('kube-apiserver')).toContain('--v=2')
  })

  test.for([
    [['set', 'day', 'clusterDomain=other', '--yes'], '"clusterDomain" stays "cluster.local"'],
    [['set', 'day', 'apiServer.goGc=60'], 'nobody is here to answer'],
    [['scale', 'day', '--etcd', '3', '--yes'], 'one of each'],
    [['upgrade', 'day', '--version', '1.34', '--yes'], 'cannot go back'],
  ] as const)('refuses %j and leaves the plane as it is', async ([args, words]) => {
    const before = ids()

    const { code, stderr } = await cli.run(args)

    expect(code).toBe(2)
    expect(stderr).toContain(words)
    expect(ids()).toEqual(before)
  })

  test('is mended by another spec when a component cannot run by one', async () => {
    const broken = await cli.run(['set', 'day', 'controllerManager.extraArgs.nonsense=1', '--yes'])
    const mended = await cli.run(['set', 'day', 'controllerManager.extraArgs.nonsense-', '--yes'])

    expect(broken.code).toBe(7)
    expect(broken.stderr).toContain('unknown flag: --nonsense')
    expect(mended.code, mended.stderr).toBe(0)
  })

  test('keeps the text of an editor that was open while somebody else changed the plane', async () => {
    const [open, go] = [join(cli.root, 'open'), join(cli.root, 'go')]
    const edit = `printf 'apiServer: {extraArgs: {v: "9"}}\n' > "$1"`
    const script = `touch ${open}; until test -e ${go}; do sleep 0.1; done; ${edit}`
    const editor = join(cli.root, 'editor')
    writeFileSync(editor, `#!/bin/sh\n${script}\n`, { mode: 0o755 })

    const editing = cli.start(['edit', 'day', '--yes'], { env: { VISUAL: editor } })
    await until(() => existsSync(open))
    await cli.ok(['set', 'day', 'idle=12h', '--yes'])
    writeFileSync(go, '')
    const { code, stderr } = await editing.ended

    const [, kept = ''] = /kept in (\S+)/.exec(stderr) ?? []
    onTestFinished(() => rmSync(join(kept, '..'), { recursive: true }))
    expect(code).toBe(4)
    expect(stderr).toContain('"day" was changed meanwhile')
    expect(readFileSync(kept, 'utf8')).toContain('v: "9"')
    expect(argsOf('kube-apiserver')).toContain('--v=2')
    await cli.ok(['set', 'day', 'idle-', '--yes'])
  })

  test('refuses an upgrade while etcd holds objects that the new version cannot read, though their API is off', async () => {
    const apply = ['connect', 'day', '--', 'kubectl', 'apply', '--server-side', '-f', '-']
    const objects = [
      definition({ isOld: true }),
      ...['one', 'two'].map((name) => widget(name)),
      workload('batch'),
    ]
    for (const object of objects) {
      await expect.poll(() => codeOf(apply, object), { timeout: 30_000 }).toBe(0)
    }
    await cli.ok([...apply.slice(0, -2), '--force-conflicts', '-f', '-'], {
      input: JSON.stringify(definition({ isOld: false })),
    })
    const off = ['featureGates-', 'apiServer.extraArgs.runtime-config-']
    await cli.ok(['set', 'day', ...off, '--yes'])

    const upgrade = ['upgrade', 'day', '--version', '1.36']
    const refused = await cli.run([...upgrade, '--yes'])
    const { stderr } = await cli.run([...upgrade, '--dry-run', '--without-stale-objects'])

    expect(refused.code).toBe(2)
    expect(refused.stderr).toContain('holds objects that Kubernetes 1.36.3 cannot read')
    expect(refused.stderr).toContain('--without-stale-objects')
    expect(stderr).toContain('1 of workloads.scheduling.k8s.io as scheduling.k8s.io/v1alpha1')
    expect(stderr).toContain('2 of widgets.example.com as example.com/v1alpha1')
    expect(stderr).not.toContain('cannot be told')
  })

  test('goes on with an upgrade that was killed half way', async () => {
    const upgrade = ['upgrade', 'day', '--version', '1.36', '--yes', '--without-stale-objects']
    const first = cli.start(upgrade)
    await until(() => argsOf('kube-apiserver').includes('--emulated-version=kube=1.35'))
    first.child.kill('SIGKILL')
    await first.ended

    const second = await cli.run(upgrade)
    const third = await cli.run(upgrade)

    expect(second.code, second.stderr).toBe(0)
    expect(third.stdout).toBe('"day" is like that already.\n')
    expect(argsOf('kube-apiserver').join(' ')).not.toContain('--emulated-version')
    const kubectl = ['connect', 'day', '--', 'kubectl']
    const { serverVersion } = JSON.parse(await cli.ok([...kubectl, 'version', '--output', 'json']))
    expect(serverVersion).toMatchObject({ gitVersion: 'v1.36.3' })
    await cli.ok([...kubectl, 'get', 'configmap', 'kept'])
  })

  async function codeOf(args: readonly string[], object: object): Promise<number | string> {
    return (await cli.run(args, { input: JSON.stringify(object) })).code
  }

  function ids(): Record<string, number> {
    return Object.fromEntries(cli.processes().map(({ id, name }) => [name, id]))
  }

  function argsOf(component: string): string[] {
    return cli.processes().find(({ name }) => name === component)?.args ?? []
  }

  async function until(condition: () => boolean): Promise<void> {
    await expect.poll(condition, { timeout: 120_000, interval: 20 }).toBe(true)
  }
})

function workload(name: string): object {
  const podGroups = [{ name: 'workers', policy: { basic: {} } }]
  const metadata = { name, namespace: 'default' }
  return {
    apiVersion: 'scheduling.k8s.io/v1alpha1',
    kind: 'Workload',
    metadata,
    spec: { podGroups },
  }
}

function widget(name: string): object {
  const metadata = { name, namespace: 'default' }
  return { apiVersion: 'example.com/v1alpha1', kind: 'Widget', metadata }
}

/** A definition that stores in its first version, or in a later one and does not serve the first. */
function definition({ isOld }: { isOld: boolean }): object {
  const schema = { openAPIV3Schema: { type: 'object' } }
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'widgets.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'widgets', singular: 'widget', kind: 'Widget' },
      versions: [
        { name: 'v1alpha1', served: isOld, storage: isOld, schema },
        { name: 'v1', served: true, storage: !isOld, schema },
      ],
    },
  }
}
