import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { messageOf } from '../../../src/shared/errors.ts'
import { describeOnHost } from '../../lab/describe-lab.ts'
import { CHART, createHelm } from '../../support/host/helm-chart.ts'
import { createHostCli, type HostCli, RESTRICTED } from '../../support/host/host-cli.ts'
import { HostPlane } from '../../support/host/planes/host-plane.ts'
import { temporaryFolder } from '../../support/machine/temporary-folder.ts'

const CRD = 'controlplanes.vplane.dev'

// In their order: they are about one release and one plane.
describeOnHost('the Helm chart of the operator', { shuffle: false }, () => {
  let cli: HostCli
  let operator: string
  let namespace: string
  let helm: (...args: string[]) => Promise<string>

  const podsOf = async (place: string) => {
    const { items } = await cli.hostJson(['get', 'pods', '--namespace', place])
    const pods: Array<{ metadata: { name: string } }> = items
    return pods.map(({ metadata }) => metadata.name).toSorted()
  }

  beforeAll(async () => {
    cli = await createHostCli()
    operator = await cli.makeNamespace(RESTRICTED)
    namespace = await cli.makeNamespace(RESTRICTED)
    const run = await createHelm()
    const place = ['--namespace', operator, '--kubeconfig', cli.lab.kubeconfigPath]
    helm = (...args) => run(...args, ...place)
  })
  afterAll(async () => {
    await cli.run(['operator', 'uninstall', '--namespace', operator, '--yes'])
    await helm('uninstall', 'ops', '--ignore-not-found', '--no-hooks')
    await cli.run(['delete', 'dev', '--namespace', namespace, '--yes', '--ignore-not-found'])
    await cli[Symbol.asyncDispose]()
  })

  test('installs an operator, which creates planes', async () => {
    // The definitions may exist: they stay when an operator is removed.
    await helm('install', 'ops', CHART, '--take-ownership', '--wait', '--timeout=5m')

    await cli.host(['apply', '--filename', '-'], {
      apiVersion: 'vplane.dev/v1beta1',
      kind: 'ControlPlane',
      metadata: { name: 'dev', namespace },
      spec: { renew: true },
    })
    const ready = ['--for=condition=Ready', '--timeout=120s']
    await cli.host(['wait', 'vcp/dev', '--namespace', namespace, ...ready])
    const status = await cli.ok(['operator', 'status', '--namespace', operator])
    expect(status).toContain('part of the Helm release "ops"')
  })

  test.for(['install', 'upgrade'])('vplane operator %s leaves it to Helm', async (command) => {
    const { code, stderr } = await cli.run(['operator', command, '--namespace', operator])

    expect(code).toBe(4)
    expect(stderr).toContain('is part of the Helm release "ops"')
  })

  test('another operator for all namespaces is refused', async () => {
    const { code, stderr } = await cli.run(['operator', 'install', '--namespace', namespace])

    expect(code).toBe(4)
    expect(stderr).toContain(`namespace "${operator}" has an operator already`)
  })

  test('helm upgrade changes the operator and the definitions, and no plane', async () => {
    await using folder = await temporaryFolder()
    const chart = join(folder.path, 'vplane')
    cpSync(CHART, chart, { recursive: true })
    const path = join(chart, 'charts/programs/files/definitions.json')
    const definitions = JSON.parse(readFileSync(path, 'utf8'))
    const crd = definitions.items.find(
      (one: { metadata: { name: string } }) => one.metadata.name === CRD,
    )
    crd.metadata.annotations = { 'example.com/version': 'next' }
    writeFileSync(path, JSON.stringify(definitions))
    const before = await podsOf(namespace)

    await helm('upgrade', 'ops', chart, '--set=replicas=2', '--wait', '--timeout=5m')

    expect(await podsOf(operator)).toHaveLength(2)
    const { metadata } = await cli.hostJson(['get', 'crd', CRD])
    expect(metadata.annotations).toMatchObject({ 'example.com/version': 'next' })
    expect(await podsOf(namespace)).toEqual(before)
  })

  test('helm uninstall is refused while the operator keeps a plane', async () => {
    const refusal = await helm('uninstall', 'ops').catch(messageOf)

    expect(refusal).toMatch(new RegExp(`does the duties of .*${namespace}/dev`))
    const [, revision = ''] = /helm rollback ops (\d+)/.exec(refusal) ?? []
    await helm('rollback', 'ops', revision, '--wait')
    expect(await helm('status', 'ops')).toContain('STATUS: deployed')
    expect((await podsOf(operator)).filter((name) => !name.includes('check'))).toHaveLength(2)
  })

  test('after vplane operator uninstall, helm uninstall keeps planes and definitions', async () => {
    const before = await podsOf(namespace)

    const words = ['operator', 'uninstall', '--namespace', operator, '--yes', '--json']
    const released = JSON.parse(await cli.ok(words))
    await helm('uninstall', 'ops', '--wait')

    expect(released).toMatchObject({
      released: expect.arrayContaining([`${namespace}/dev`]),
      helmRelease: 'ops',
    })
    const left = ['get', 'deployments,configmaps', '--namespace', operator, '--output=name']
    expect(await cli.host(left)).toBe('configmap/kube-root-ca.crt')
    expect(await cli.host(['get', 'vcp', 'dev', '--namespace', namespace])).toContain('dev')
    await new HostPlane(cli, namespace, 'dev').untilReady()
    const after = await podsOf(namespace)
    expect(after).toEqual(expect.arrayContaining(before))
    expect(after.filter((name) => name.includes('keeper'))).toHaveLength(1)
  })
})
