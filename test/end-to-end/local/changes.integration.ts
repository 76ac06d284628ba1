import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { PlaneRecord } from '../../../src/drivers/local/store/plane-record.ts'
import { type Cli, createCli } from '../../support/cli/cli.ts'
import { lostOf, startWriter } from '../../support/data/config-map-writer.ts'
import { orderOf, stepsOf } from '../../support/driver/steps-of.ts'

/** An etcd from before the one that all known versions of Kubernetes have. */
const OLD_ETCD = '3.6.15'

/** Kubernetes 1.36 does not know it any more. */
const GONE_GATE = 'HonorPVReclaimPolicy'

/** Settings that 1.34 knows, and a later version does not. */
const GOES_AWAY = [
  `featureGates.${GONE_GATE}=true`,
  'featureGates.StorageVersionMigrator=true',
  'apiServer.extraArgs.runtime-config=storagemigration.k8s.io/v1alpha1=true',
].flatMap((setting) => ['--set', setting])

// In their order: all of them change one plane.
describe('changes of a plane of this machine', { shuffle: false }, () => {
  let cli: Cli

  beforeAll(async () => {
    cli = await createCli()
    await cli.ok(['create', 'day', '--driver', 'local', '--version', '1.34', ...GOES_AWAY])
    await cli.ok(['connect', 'day', '--', 'kubectl', 'create', 'configmap', 'kept'])
  })
  afterAll(() => cli[Symbol.asyncDispose]())

  test('restarts the component whose flag is set, and not its store', async () => {
    const before = cli.ids()

    const { code, stderr } = await cli.run(['set', 'day', 'apiServer.extraArgs.v=2', '--yes'])

    expect(code, stderr).toBe(0)
    expect(stderr).toContain('+ apiServer.extraArgs.v: "2"')
    const { etcd, 'kube-apiserver': apiServer } = cli.ids()
    // kube-controller-manager too while it is young.
    expect(etcd).toBe(before['etcd'])
    expect(apiServer).not.toBe(before['kube-apiserver'])
    expect(cli.argsOf('kube-apiserver')).toContain('--v=2')
  })

  test.for([
    [['set', 'day', 'clusterDomain=other', '--yes'], '"clusterDomain" stays "cluster.local"'],
    [['set', 'day', 'apiServer.goGc=60'], 'cannot ask'],
    [['scale', 'day', '--etcd', '3', '--yes'], 'one process of each'],
    [['upgrade', 'day', '--version', '1.36', '--yes'], 'more than one minor away'],
  ] as const)('refuses %j and leaves the plane as it is', async ([args, words]) => {
    const before = cli.ids()

    const { code, stderr } = await cli.run(args)

    expect(code).toBe(2)
    expect(stderr).toContain(words)
    expect(cli.ids()).toEqual(before)
  })

  test('is repaired by another spec when a component cannot run with the current one', async () => {
    const broken = await cli.run(['set', 'day', 'controllerManager.extraArgs.nonsense=1', '--yes'])
    const mended = await cli.run(['set', 'day', 'controllerManager.extraArgs.nonsense-', '--yes'])

    expect(broken.code).toBe(7)
    expect(broken.stderr).toContain('unknown flag: --nonsense')
    expect(mended.code, mended.stderr).toBe(0)
  })

  test('keeps the text of an editor that was open while someone else changed the plane', async () => {
    const [open, go] = [join(cli.root, 'open'), join(cli.root, 'proceed')]
    const edit = `printf 'apiServer: {extraArgs: {v: "9"}}\n' > "$1"`
    const script = `touch ${open}; until test -e ${go}; do sleep 0.1; done; ${edit}`
    const editor = join(cli.root, 'editor')
    writeFileSync(editor, `#!/bin/sh\n${script}\n`, { mode: 0o755 })

    const editing = cli.start(['edit', 'day', '--yes'], { env: { VISUAL: editor } })
    await until(() => existsSync(open))
    await cli.ok(['set', 'day', 'idle=12h', '--yes'])
    writeFileSync(go, '')
    const { code, stderr } = await editing.ended

    const [, kept = ''] = /saved in (\S+)/.exec(stderr) ?? []
    expect(kept).toMatch(/^\/.*\/vplane-edited-[^/]+\/spec\.yaml$/)
    onTestFinished(() => rmSync(join(kept, '..'), { recursive: true }))
    expect(code).toBe(4)
    expect(stderr).toContain('"day" was changed meanwhile')
    expect(readFileSync(kept, 'utf8')).toContain('v: "9"')
    expect(cli.argsOf('kube-apiserver')).toContain('--v=2')
    await cli.ok(['set', 'day', 'idle-', '--yes'])
  })

  test('refuses an upgrade while etcd holds objects that the new version cannot read, though their API is off', async () => {
    const apply = ['connect', 'day', '--', 'kubectl', 'apply', '--server-side', '-f', '-']
    const objects = [
      definition({ isOld: true }),
      ...['one', 'two'].map((name) => widget(name)),
      MIGRATION,
    ]
    for (const object of objects) {
      await expect.poll(() => codeOf(apply, object), { timeout: 60_000 }).toBe(0)
    }
    await cli.ok([...apply.slice(0, -2), '--force-conflicts', '-f', '-'], {
      input: JSON.stringify(definition({ isOld: false })),
    })
    const off = ['featureGates.StorageVersionMigrator-', 'apiServer.extraArgs.runtime-config-']
    await cli.ok(['set', 'day', ...off, '--yes'])

    const upgrade = ['upgrade', 'day', '--version', '1.35']
    const refused = await cli.run([...upgrade, '--yes'])
    const plan = await cli.ok([...upgrade, '--dry-run', '--without-stale-objects'])

    expect(refused.code).toBe(2)
    expect(refused.stderr).toContain('has objects that Kubernetes 1.35.4 cannot read')
    expect(refused.stderr).toContain('--without-stale-objects')
    expect(plan).toContain(
      '1 of storageversionmigrations.storagemigration.k8s.io as storagemigration.k8s.io/v1alpha1',
    )
    expect(plan).toContain('2 of widgets.example.com as example.com/v1alpha1')
    expect(plan).not.toContain('Cannot check whether')
  })

  test('is marked as of an older vplane until an upgrade brings it to the flags of this one', async () => {
    const { record: path } = cli.plane('day')
    const record: PlaneRecord = JSON.parse(readFileSync(path, 'utf8'))
    const spec = { ...record.spec, etcdVersion: OLD_ETCD }
    writeFileSync(path, JSON.stringify({ ...record, madeBy: '0.0.1', spec }))
    const marked = await cli.ok(['list'])

    const { stderr } = await cli.run(['upgrade', 'day', '--yes'])

    expect(marked).toContain('0.0.1')
    expect(stderr).toContain('  1. restart etcd\n')
    expect(await cli.ok(['list'])).not.toContain('0.0.1')
    expect(await versions()).toEqual(['v1.34.4', OLD_ETCD])
  })

  test('gets a snapshot, another etcd and the next version, in this order', async () => {
    const writer = await startWriter(cli, ['day'], { perSecond: 10 })

    const words = ['--version', '1.35', '--etcd-version', '3.6.16', '--without-stale-objects']
    const { code, stderr } = await cli.run(['upgrade', 'day', ...words, '--yes'])

    const { longestGapMs, taken } = await writer.stop()
    process.stderr.write(`a local plane was away for ${longestGapMs.toFixed()} ms of an upgrade\n`)
    expect(code, stderr).toBe(0)
    const order = ['Taking a snapshot of "day"', 'Stopping etcd', 'Stopping kube-apiserver']
    expect(orderOf(stepsOf(stderr), order)).toEqual(order)
    const { items } = await cli.json(['snapshot', 'list', '--json'])
    expect(items).toMatchObject([{ plane: 'day' }])
    expect(await versions()).toEqual(['v1.35.4', '3.6.16'])
    expect(await lostOf(cli, ['day'], taken)).toEqual([])
    expect(longestGapMs).toBeLessThan(60_000)
  })

  test('goes back by itself when the new version cannot run, and never to a version before', async () => {
    const back = await cli.run(['upgrade', 'day', '--version', '1.34', '--yes'])
    const words = ['--version', '1.36', '--without-stale-objects', '--yes']
    const { code, stderr } = await cli.run(['upgrade', 'day', ...words])

    expect(back.code).toBe(2)
    expect(back.stderr).toContain('cannot go back')
    expect(code).toBe(7)
    expect(stderr).toContain('going back to Kubernetes 1.35.4')
    expect(stderr).toContain('"day" is Kubernetes 1.35.4 again')
    expect(stderr).toContain(`unrecognized feature gate: ${GONE_GATE}`)
    expect(await versions()).toEqual(['v1.35.4', '3.6.16'])
    const described = (): Promise<unknown> => cli.json(['describe', 'day', '--json'])
    await expect.poll(described).toMatchObject({ status: 'Ready', version: '1.35.4' })
    await cli.ok(['set', 'day', 'featureGates-', '--yes'])
  })

  test('continues an upgrade that was killed half way', async () => {
    const upgrade = ['upgrade', 'day', '--version', '1.36', '--yes', '--without-stale-objects']
    const first = cli.start(upgrade)
    await until(() => cli.argsOf('kube-apiserver').includes('--emulated-version=kube=1.35'))
    await first.kill()

    const { operation } = await cli.json(['describe', 'day', '--json'])
    const second = await cli.run(upgrade)
    const third = await cli.run(upgrade)

    const hints = ['to continue: vplane resume day']
    expect(operation).toMatchObject({ kind: 'change', interrupted: true, hints })
    expect(second.code, second.stderr).toBe(0)
    expect((await cli.json(['describe', 'day', '--json'])).operation).toBeNull()
    expect(third.stdout).toBe('"day" is already up to date.\n')
    expect(cli.argsOf('kube-apiserver').join(' ')).not.toContain('--emulated-version')
    expect(await versions()).toEqual(['v1.36.3', '3.6.16'])
    await cli.ok(['connect', 'day', '--', 'kubectl', 'get', 'configmap', 'kept'])
  })

  /** What its API says of itself, and the etcd that runs below. */
  async function versions(): Promise<string[]> {
    const words = ['kubectl', 'version', '--output', 'json']
    const { serverVersion } = await cli.json(['connect', 'day', '--', ...words])
    const etcd = cli.argsOf('etcd')[0]?.split('/').at(-3) ?? ''
    return [serverVersion.gitVersion, etcd]
  }

  async function codeOf(args: readonly string[], object: object): Promise<number | string> {
    return (await cli.run(args, { input: JSON.stringify(object) })).code
  }

  async function until(condition: () => boolean): Promise<void> {
    await expect.poll(condition, { timeout: 120_000, interval: 20 }).toBe(true)
  }
})

/** An object of 1.34, in a version that 1.35 does not have. */
const MIGRATION = {
  apiVersion: 'storagemigration.k8s.io/v1alpha1',
  kind: 'StorageVersionMigration',
  metadata: { name: 'old' },
  spec: { resource: { group: 'example.com', version: 'v1', resource: 'widgets' } },
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
