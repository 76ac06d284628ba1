import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeOnHost } from '../../lab/describe-lab.ts'
import { homeFiles } from '../../support/cli/home-files.ts'
import { createHostCli, type HostCli } from '../../support/host/host-cli.ts'
import { watchNamespace } from '../../support/host/watch-namespace.ts'
import { hostObjects } from '../../support/host/host-objects.ts'

const LAUNCHER = 'data/vplane/bin/vplane-credential'

describeOnHost('a plane in a host cluster', () => {
  let cli: HostCli

  beforeAll(async () => {
    cli = await createHostCli()
  })
  afterAll(() => cli[Symbol.asyncDispose]())

  test('comes with a namespace and a context, and leaves neither, nor anything else', async () => {
    const namespace = cli.newNamespace()
    const kubeconfig = readFileSync(cli.kubeconfig, 'utf8')
    const files = homeFiles(cli.root)

    await cli.ok(['create', 'dev', '--namespace', namespace, '--connect'])
    const context = await cli.kubectl(['config', 'current-context'])
    const { code, stderr, stdout } = await cli.kubectl(['get', 'serviceaccount', 'default'])
    expect(code, stderr).toBe(0)
    expect(stdout).toContain('default')
    expect(context.stdout).toMatch(`vplane_dev_${namespace}_`)
    expect(cli.processes()).toHaveLength(1)

    await cli.ok(['delete', 'dev', '--namespace', namespace, '--yes'])

    expect(await hostObjects(cli.lab, namespace)).toEqual(new Map())
    expect(readFileSync(cli.kubeconfig, 'utf8')).toBe(kubeconfig)
    expect(cli.processes()).toEqual([])
    const { [LAUNCHER]: launcher, ...left } = homeFiles(cli.root)
    expect(left).toEqual({ ...files, [LAUNCHER]: undefined })
    expect(launcher).toBeDefined()
  })

  test('leaves a namespace that was there as it was, with what others have in it', async () => {
    const namespace = await cli.makeNamespace({ team: 'a' })
    const labels = ['app.kubernetes.io/managed-by=vplane', 'vplane.dev/name=other']
    await cli.host(['--namespace', namespace, 'create', 'configmap', 'theirs'])
    await cli.host(['--namespace', namespace, 'label', 'configmap', 'theirs', ...labels])
    const describeNamespace = () => cli.host(['get', 'namespace', namespace, '--output', 'json'])
    const before = await hostObjects(cli.lab, namespace)
    const namespaceBefore = await describeNamespace()

    await cli.ok(['create', 'dev', '--namespace', namespace])
    expect((await hostObjects(cli.lab, namespace)).size).toBeGreaterThan(before.size + 15)
    await cli.ok(['delete', 'dev', '--namespace', namespace, '--yes'])

    expect(await hostObjects(cli.lab, namespace)).toEqual(before)
    expect(await describeNamespace()).toBe(namespaceBefore)
  })

  test('is created paused without a pod or a volume, and started by its first use', async () => {
    const at = ['--namespace', cli.newNamespace()]
    const pods = async () =>
      (await cli.hostJson(['get', 'pods,persistentvolumeclaims', ...at])).items

    const created = await cli.json(['create', 'dev', ...at, '--paused', '--json'])
    const described = await cli.json(['describe', 'dev', ...at, '--json'])
    const { items } = await cli.hostJson(['get', 'statefulsets,deployments', ...at])
    const before = await pods()
    const used = await cli.ok(['connect', 'dev', ...at, '--', 'kubectl', 'get', 'namespaces'])

    expect(created).toMatchObject({ created: true, ready: false })
    expect(described).toMatchObject({
      status: 'Paused',
      reason: expect.stringContaining('it was never started'),
      server: expect.stringMatching(/^https:/),
    })
    expect(items.map(({ spec }: { spec: { replicas: number } }) => spec.replicas)).toEqual([
      0, 0, 0,
    ])
    expect(before).toEqual([])
    expect(used).toContain('kube-system')
    expect((await pods()).length).toBeGreaterThan(3)
    await cli.ok(['delete', 'dev', ...at, '--yes'])
  })

  // Seed 001: Create and Delete.
  test('has its endpoint before any pod, and loses it when no pod is left', async () => {
    const namespace = await cli.makeNamespace()
    await using seen = await watchNamespace(cli.lab, namespace)

    await cli.ok(['create', 'dev', '--namespace', namespace, '--ephemeral'])
    await cli.ok(['delete', 'dev', '--namespace', namespace, '--yes'])
    // Each kind has a watch of its own.
    await expect.poll(() => seen.at('Service vplane-dev-api', 'DELETED')).not.toEqual([])
    await expect.poll(() => seen.at('Pod', 'DELETED')).toHaveLength(3)

    const [made = 0] = seen.at('Service vplane-dev-api', 'ADDED')
    const [gone = 0] = seen.at('Service vplane-dev-api', 'DELETED')
    const came = seen.at('Pod', 'ADDED')
    const went = seen.at('Pod', 'DELETED')
    expect(came).toHaveLength(3)
    expect(made).toBeLessThan(Math.min(...came))
    expect(gone).toBeGreaterThan(Math.max(...went))
  })

  test('keeps its data over a pause, which no pod outlives, and over a deletion that keeps it, until it is deleted again', async () => {
    const namespace = cli.newNamespace()
    const at = ['--namespace', namespace]
    const pods = () => cli.host([...at, 'get', 'pods', '--output', 'name'])
    const kept = async () => {
      const command = ['kubectl', 'get', 'configmap', 'kept', '--output', 'name']
      const { stdout } = await cli.run(['connect', 'dev', ...at, '--', ...command])
      return stdout
    }
    await cli.ok(['create', 'dev', ...at])
    await cli.ok(['connect', 'dev', ...at, '--', 'kubectl', 'create', 'configmap', 'kept'])

    await cli.ok(['pause', 'dev', ...at])
    expect(await pods()).toBe('')
    expect(await phaseOf(namespace)).toBe('Paused')
    await cli.ok(['resume', 'dev', ...at])
    // Its API is; kube-controller-manager says so of itself a moment later.
    await expect.poll(() => phaseOf(namespace), { timeout: 60_000 }).toBe('Ready')
    expect(await kept()).toBe('configmap/kept\n')
    await expect
      .poll(() => endpoints(namespace), { timeout: 60_000 })
      .toEqual(await apiPods(namespace))

    const said = await cli.ok(['delete', 'dev', ...at, '--keep-data', '--yes'])
    expect(said).toContain(`vplane create dev --namespace ${namespace} --adopt`)
    expect(await pods()).toBe('')
    const unanswered = await cli.run(['create', 'dev', ...at])
    expect(unanswered.code).toBe(2)
    expect(unanswered.stderr).toContain('--adopt')
    await cli.ok(['create', 'dev', ...at, '--adopt'])
    expect(await kept()).toBe('configmap/kept\n')

    await cli.ok(['delete', 'dev', ...at, '--keep-data', '--yes'])
    const claim = expect.stringMatching(/^PersistentVolumeClaim .*vplane-dev-etcd-0$/)
    expect([...(await hostObjects(cli.lab, namespace)).keys()]).toContainEqual(claim)
    await cli.ok(['delete', 'dev', ...at, '--yes'])
    expect(await hostObjects(cli.lab, namespace)).toEqual(new Map())
  })

  /** The addresses of kube-apiserver, as Endpoints and EndpointSlices of the plane name them. */
  async function endpoints(namespace: string): Promise<string[][]> {
    const kubectl = ['connect', 'dev', '--namespace', namespace, '--', 'kubectl', 'get']
    const path = {
      endpoints: '{.subsets[*].addresses[*].ip}',
      endpointslices: '{.endpoints[*].addresses[*]}',
    }
    const read = Object.entries(path).map(async ([kind, jsonpath]) => {
      const words = [...kubectl, kind, 'kubernetes', '--output', `jsonpath=${jsonpath}`]
      return (await cli.ok(words)).split(' ')
    })
    return Promise.all(read)
  }

  async function apiPods(namespace: string): Promise<string[][]> {
    const selector = ['--selector', 'vplane.dev/component=kube-apiserver']
    const output = ['--output', 'jsonpath={.items[*].status.podIP}']
    const found = await cli.host(['get', 'pods', '--namespace', namespace, ...selector, ...output])
    return [found.split(' '), found.split(' ')]
  }

  async function phaseOf(namespace: string): Promise<string> {
    const json = await cli.ok(['list', '--namespace', namespace, '--json'])
    const planes: Array<{ status: string }> = JSON.parse(json).items
    return planes.map(({ status }) => status).join()
  }
})
