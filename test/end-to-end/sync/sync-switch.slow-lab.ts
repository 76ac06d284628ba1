import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeOnHost } from '../../lab/describe-lab.ts'
import { createHostCli, type HostCli } from '../../support/host/host-cli.ts'
import {
  claim,
  deployment,
  pod,
  serverContainer,
  service,
} from '../../support/host/planes/workloads.ts'
import { until } from '../../support/until.ts'

// In their order: each continues with the plane of the one before.
describeOnHost('a plane that begins to run pods, and ceases to', { shuffle: false }, () => {
  let cli: HostCli
  let namespace: string
  let plane: string[]

  beforeAll(async () => {
    cli = await createHostCli()
    namespace = cli.newNamespace()
    plane = ['dev', '--namespace', namespace]
    await cli.ok(['create', ...plane, '--set', 'serviceRange=10.1.0.0/16', '--connect'])
    const settings = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings' } }
    const containers = [serverContainer({ envFrom: [{ configMapRef: { name: 'settings' } }] })]
    await apply(settings, deployment('web', { replicas: 2, containers }), service('web'))
  })
  afterAll(() => cli[Symbol.asyncDispose]())

  async function apply(...items: object[]): Promise<void> {
    const input = JSON.stringify({ apiVersion: 'v1', kind: 'List', items })
    await cli.kubectlOk(['apply', '--filename', '-'], { input })
  }

  function addressOf(name: string): Promise<string> {
    return cli.kubectlOk(['get', 'service', name, '-o', 'jsonpath={.spec.clusterIP}'])
  }

  /** What a syncer created in the host namespace, by kind and name. */
  async function synced(kinds: string): Promise<string[]> {
    const selector = ['--selector', 'vplane.dev/synced-by=dev']
    const found = await cli.host(['get', kinds, '-n', namespace, ...selector, '-o', 'name'])
    return found.split('\n').filter((one) => one !== '')
  }

  /** A pod of the Deployment reaches it by the name of its Service, and the API by its own. */
  async function expectPods(): Promise<void> {
    await cli.kubectlOk(['rollout', 'status', 'deployment/web', '--timeout=120s'])
    for (const target of ['web.default:8080', 'kubernetes.default:443']) {
      const connect = ['/agnhost', 'connect', target, '--timeout=20s']
      await until(`a way to ${target}`, async () => {
        const { code } = await cli.kubectl(['exec', 'deployment/web', '--', ...connect])
        return code === 0
      })
    }
  }

  test('a dry run lists other addresses and the workloads that start', async () => {
    const { stdout } = await cli.run(['set', ...plane, 'sync={}', '--dry-run'])

    expect(stdout).toContain('create syncer')
    expect(stdout).toContain('default/kubernetes: 10.1.0.1 is replaced by')
    expect(stdout).toContain(`default/web: ${await addressOf('web')} is not in`)
    expect(stdout).toContain('  Deployment default/web, 2 pods')
    expect(await synced('pods')).toEqual([])
  })

  test('its pods start, and reach its Services and its API by name', async () => {
    const before = await addressOf('web')

    await cli.ok(['set', ...plane, 'sync={}', '--yes'])
    await expectPods()

    const ofEndpoint = ['get', 'service', 'vplane-dev-api', '-n', namespace, '-o']
    const endpoint = await cli.host([...ofEndpoint, 'jsonpath={.spec.clusterIP}'])
    expect(await addressOf('kubernetes')).toBe(endpoint)
    expect(await addressOf('web')).not.toBe(before)
    const rules = await cli.host(['get', 'networkpolicies', '-n', namespace, '-o', 'name'])
    expect(rules).toContain('vplane-dev-synced-pods')
  })

  test('ceases to run pods, and keeps its objects and the data of claims', async () => {
    await apply(claim('data'), pod('alone', [serverContainer()]))
    await cli.kubectlOk(['wait', 'pod/alone', '--for=condition=Ready', '--timeout=120s'])
    await until('the host claim', async () => (await synced('pvc')).length === 1)
    const claims = await synced('pvc')
    const address = await addressOf('web')

    const { stdout } = await cli.run(['set', ...plane, 'sync.enabled=false', '--dry-run'])
    await cli.ok(['set', ...plane, 'sync.enabled=false', '--yes'])

    expect(stdout).toMatch(/deleted for good.*:\n {2}default\/alone\n/)
    expect(stdout).toMatch(/Claims whose data stays.*:\n {2}default\/data\n/)
    const kinds = 'pods,services,secrets,configmaps,endpointslices,networkpolicies'
    expect(await synced(kinds)).toEqual([])
    expect(await synced('pvc')).toEqual(claims)
    const inPlane = ['get', 'pods,nodes', '--all-namespaces', '-o', 'name']
    expect(await cli.kubectlOk(inPlane)).toBe('')
    const ready = ['get', 'deployment/web', '-o', 'jsonpath={.status.readyReplicas}']
    expect(await cli.kubectlOk(ready)).toBe('')
    expect(await cli.kubectlOk(['get', 'configmap/settings', 'pvc/data', '-o', 'name'])).toBe(
      'configmap/settings\npersistentvolumeclaim/data\n',
    )
    expect(await addressOf('web')).toBe(address)
  })

  test('runs them again, with the same addresses and volumes', async () => {
    const claims = await synced('pvc')
    const address = await addressOf('web')

    const { stdout } = await cli.run(['set', ...plane, 'sync.enabled=true', '--dry-run'])
    await cli.ok(['set', ...plane, 'sync.enabled=true', '--yes'])
    await expectPods()

    expect(stdout).not.toContain('another address')
    expect(await addressOf('web')).toBe(address)
    expect(await synced('pvc')).toEqual(claims)
    await cli.ok(['delete', ...plane, '--yes'])
    expect(await synced('pvc')).toEqual([])
  })
})
