import { writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeOnHost } from '../../lab/describe-lab.ts'
import { createHostCli, type HostCli, RESTRICTED } from '../../support/host/host-cli.ts'

const SQLITE = { store: { kine: { sqlite: {} } } }

describeOnHost('planes in a host namespace with sqlite', { shuffle: false }, () => {
  let cli: HostCli
  let at: string[]
  let spec: string

  const kubectl = (name: string, ...words: string[]) =>
    cli.ok(['connect', name, ...at, '--', 'kubectl', ...words])

  beforeAll(async () => {
    cli = await createHostCli()
    await cli.lab.loadKineImage()
    await cli.lab.loadPlaneImages('1.35')
    at = ['--namespace', await cli.makeNamespace(RESTRICTED)]
    spec = join(dirname(cli.kubeconfig), 'spec.yaml')
    writeFileSync(spec, JSON.stringify(SQLITE))
  })
  afterAll(async () => {
    await cli.run(['operator', 'uninstall', ...at, '--yes'])
    await cli.run(['delete', 'here', '--yes', '--ignore-not-found'])
    for (const name of ['old', 'short', 'declared']) {
      await cli.run(['delete', name, ...at, '--yes', '--ignore-not-found'])
    }
    await cli[Symbol.asyncDispose]()
  })

  test('are upgraded after a snapshot of all keys, from which a plane of this machine can start', async () => {
    await cli.ok(['create', 'old', ...at, '--file', spec, '--version', '1.35'])
    await kubectl('old', 'create', 'configmap', 'kept')

    const plan = await cli.ok(['upgrade', 'old', ...at, '--version', '1.36', '--dry-run'])
    await cli.ok(['upgrade', 'old', ...at, '--version', '1.36', '--yes'])

    expect(plan).not.toContain('etcd')
    const { items } = await cli.json(['snapshot', 'list', '--json'])
    expect(items).toMatchObject([{ plane: 'old', format: 'logical' }])
    await cli.ok(['create', 'here', '--driver', 'local', '--version', '1.35'])
    await cli.ok([
      'restore',
      'here',
      '--from',
      items[0].id,
      '--without-secrets',
      '--force',
      '--yes',
    ])
    const names = ['connect', 'here', '--', 'kubectl', 'get', 'configmap', '-o=name']
    expect(await cli.ok(names)).toContain('configmap/kept\n')
    await cli.ok(['delete', 'here', '--yes'])
    const described = await cli.json(['describe', 'old', ...at, '--json'])
    expect(described).toMatchObject({ version: '1.36.3', status: 'Ready' })
    expect(await kubectl('old', 'get', 'configmap', 'kept', '-o=name')).toBe('configmap/kept\n')
    await cli.ok(['delete', 'old', ...at, '--yes'])
  })

  test('keep their data in the pod if they are ephemeral, and are not paused then', async () => {
    await cli.ok(['create', 'short', ...at, '--file', spec, '--ephemeral'])
    const args = '-o=jsonpath={.items[0].spec.containers[0].args[0]}'
    const kine = ['--selector', 'vplane.dev/component=kine,vplane.dev/name=short']

    const paused = await cli.run(['pause', 'short', ...at])
    const previewed = await cli.run(['pause', 'short', ...at, '--dry-run'])
    const rotated = await cli.run(['certs', 'rotate-ca', 'short', ...at, '--yes'])

    expect([paused.code, previewed.code, rotated.code]).toEqual([2, 2, 7])
    expect(paused.stderr).toContain('its data would be lost with the pod of kine')
    expect(rotated.stderr).toContain('its data is in the pod of kine')
    expect(await cli.host(['get', 'pods', ...at, ...kine, args])).toContain('_synchronous=OFF')
    expect(await cli.host(['get', 'persistentvolumeclaims', ...at, ...kine, '-o=name'])).toBe('')
    await cli.ok(['delete', 'short', ...at, '--yes'])
  })

  test('are created, paused and changed by an operator, and keep their store', async () => {
    await cli.ok(['operator', 'install', ...at, '--scope', 'namespace'])
    await cli.ok(['create', 'declared', ...at, '--file', spec, '--declare'])
    await kubectl('declared', 'create', 'configmap', 'kept')
    const edit = (fields: object) =>
      cli.host(['patch', 'vcp', 'declared', ...at, '--type=merge', '-p', JSON.stringify(fields)])

    await expect(edit({ spec: { store: { etcd: {}, kine: null } } })).rejects.toThrow(
      '"store" stays as it was at the start',
    )
    await cli.ok(['pause', 'declared', ...at])
    await cli.ok(['resume', 'declared', ...at])

    expect(await kubectl('declared', 'get', 'configmap', 'kept', '-o=name')).toBe(
      'configmap/kept\n',
    )
    const { status } = await cli.hostJson(['get', 'vcp', 'declared', ...at])
    expect(status.resolved).toMatchObject({ ...SQLITE, kineVersion: '0.17.2' })
    expect(status).not.toHaveProperty('etcdVersion')
    await cli.ok(['delete', 'declared', ...at, '--yes'])
  })
})
