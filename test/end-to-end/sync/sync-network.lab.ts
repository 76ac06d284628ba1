import { afterEach, beforeAll, expect, test } from 'vitest'
import { describeInLab } from '../../lab/describe-lab.ts'
import { answeringPod, policyFor } from '../../lab/policies/policy-objects.ts'
import { createHostCli, type HostCli } from '../../support/host/host-cli.ts'

/** Of the server in the plane, and of its neighbour in another namespace of the host. */
const PORTS = [8080, 9090]

const OWN = ['own pod:8080', 'own pod:9090', 'own Service', 'own API']
/** With the Service of the host that the owner gave a name in the plane. */
const ALL = [...OWN, 'host Service']

// In their order: the last ones change the plane.
describeInLab('the network of a plane that runs pods', { shuffle: false }, () => {
  let cli: HostCli
  let place: string[]
  let neighbour: string
  /** By what they are called here. */
  let targets: Record<string, string>
  let server: string

  beforeAll(async () => {
    cli = await createHostCli()
    const namespace = cli.newNamespace()
    place = ['dev', '--namespace', namespace]
    neighbour = await cli.makeNamespace()
    const shared = await cli.makeNamespace()
    const settings = [
      'policies.services.types=[NodePort]',
      `sync.hostServices={host.default: server.${shared}}`,
    ].flatMap((one) => ['--set', one])
    await cli.ok(['create', ...place, '--ephemeral', '--sync', '--connect', ...settings])
    for (const other of [neighbour, shared]) {
      const items = [answeringPod('server', PORTS), service('ClusterIP')]
      const list = { apiVersion: 'v1', kind: 'List', items }
      await cli.host(['apply', '--namespace', other, '--filename', '-'], list)
    }
    await apply(answeringPod('server', PORTS), answeringPod('client', PORTS), service('ClusterIP'))
    const isReady = ['pod', '--all', '--for=condition=Ready', '--timeout=120s']
    await cli.kubectlOk(['wait', ...isReady])
    for (const other of [neighbour, shared]) {
      await cli.host(['wait', ...isReady, '--namespace', other])
    }
    server = await addressOf(namespace, 'server-x-default-x-dev')
    targets = {
      'own pod:8080': `${server}:8080`,
      'own pod:9090': `${server}:9090`,
      'own Service': 'server.default.svc.cluster.local:80',
      'own API': 'kubernetes.default.svc.cluster.local:443',
      'host Service': 'host.default.svc.cluster.local:80',
      neighbour: `${await addressOf(neighbour, 'server')}:8080`,
      etcd: `${await addressOf(namespace, 'vplane-dev-etcd-0')}:2379`,
      'metrics of etcd': `${await addressOf(namespace, 'vplane-dev-etcd-0')}:2381`,
      'API of the host': `${await clusterIpOf('default', 'kubernetes')}:443`,
      'kube-controller-manager': `${await addressOf(namespace, 'vplane-dev-kube-controller-manager')}:10257`,
    }
    return () => cli[Symbol.asyncDispose]()
  })

  afterEach(async () => {
    await cli.kubectlOk(['delete', 'networkpolicy', '--all'])
  })

  test('lets pods reach their plane and named Services of the host, and nothing else of it', async () => {
    await expect.poll(reached).toEqual(ALL)
  })

  test.for([
    ['an empty rule', {}, ALL],
    ['all addresses', { to: [{ ipBlock: { cidr: '0.0.0.0/0' } }] }, ALL],
    [
      'addresses of the host',
      { to: [{ ipBlock: { cidr: '10.0.0.0/8' } }, { podSelector: {} }] },
      OWN,
    ],
  ] as const)('cannot be widened by a policy with %s', async ([, rule, allowed]) => {
    await apply(policyFor('client', { policyTypes: ['Egress'], egress: [rule] }))
    await isOnHost('client')

    await expect.poll(reached).toEqual(allowed)
  })

  test('is as narrow as a policy of a user says', async () => {
    const to = [{ podSelector: { matchLabels: { app: 'server' } } }]
    const egress = [{ to, ports: [{ port: 8080 }] }]
    await apply(policyFor('client', { policyTypes: ['Egress'], egress }))

    await expect.poll(reached).toEqual(['own pod:8080', 'own Service'])
  })

  test('lets others reach pods by the ports of an exposed Service, unless a policy says no', async () => {
    expect(await entered()).toEqual([])

    await apply(service('NodePort'))
    await expect.poll(entered).toEqual([8080])
    await apply(policyFor('server', { policyTypes: ['Ingress'] }))
    await expect.poll(entered).toEqual([])
    await apply(policyFor('server', { ingress: [{}] }))
    await expect.poll(entered).toEqual([8080])
    await expect.poll(reached).toEqual(ALL)
    await apply(policyFor('server', { ingress: [{ ports: [{ port: 'port-9090' }] }] }))
    await expect.poll(entered).toEqual([])
    await expect.poll(reached).not.toContain('own pod:8080')
    await apply(service('ClusterIP'))
  })

  test('lets kube-apiserver reach pods of its plane, and nothing else for its users', async () => {
    const foreign = targets['neighbour'] ?? ''
    // A webhook that does not speak TLS was reached.
    const isReached = /HTTP response to HTTPS client/

    await expect.poll(() => callWebhook(`${server}:8080`)).toMatch(isReached)
    await expect.poll(() => callWebhook(foreign)).toMatch(/refused|prohibited/)
    await cli.ok(['set', ...place, '--yes', `apiServer.egress=[namespace/${neighbour}]`])
    await expect.poll(() => callWebhook(foreign)).toMatch(isReached)
    await cli.kubectlOk(['delete', 'validatingwebhookconfiguration', 'some'])
  })

  test('is as wide as the owner of the plane says', async () => {
    const network = { egress: [`namespace/${neighbour}`], ingress: [`namespace/${neighbour}`] }
    await cli.ok(['set', ...place, '--yes', `policies.network=${JSON.stringify(network)}`])

    await expect.poll(reached).toEqual([...ALL, 'neighbour'])
    await expect.poll(entered).toEqual(PORTS)
  })

  test('tells whether the host enforces policies', async () => {
    const namespace = ['--namespace', place.at(-1) ?? '']
    const details = async () => JSON.parse(await cli.ok(['describe', ...place, '--json']))
    await expect.poll(async () => (await details()).networkPolicies).toBe('enforced')
    expect(await cli.ok(['doctor'])).toMatch(/network policies +ok +enforced/)

    // As on a host without enforcement, the syncer reaches etcd.
    await cli.host(['delete', 'networkpolicy', 'vplane-dev-etcd-access', ...namespace])
    await cli.host(['delete', 'pod', '--selector=vplane.dev/component=syncer', ...namespace])

    await expect
      .poll(async () => (await details()).networkPolicies, { timeout: 180_000 })
      .toBe('ignored')
    expect(await cli.ok(['describe', ...place])).toMatch(
      /Isolation: +none: the host does not enforce/,
    )
  })

  async function apply(...items: object[]): Promise<void> {
    const input = JSON.stringify({ apiVersion: 'v1', kind: 'List', items })
    await cli.kubectlOk(['apply', '--filename', '-'], { input })
  }

  /** What kube-apiserver says about a webhook at an address. */
  async function callWebhook(address: string): Promise<string> {
    await apply(webhook(address))
    const metadata = { name: 'asking', labels: { asks: 'some' } }
    const input = JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata })
    const create = ['create', '--dry-run=server', '--filename', '-']
    return (await cli.kubectl(create, { input })).stderr
  }

  /** The names of what the client in the plane connects to. */
  async function reached(): Promise<string[]> {
    const tries = Object.entries(targets).map(async ([name, target]) => {
      const command = ['exec', 'client', '--', '/agnhost', 'connect', '--timeout=2s', target]
      const { code, stderr } = await cli.kubectl(command)
      expect(stderr).toMatch(/^$|REFUSED|TIMEOUT|DNS|command terminated/)
      return code === 0 ? [name] : []
    })
    return (await Promise.all(tries)).flat()
  }

  /** The ports of the server in the plane that the neighbour connects to. */
  async function entered(): Promise<number[]> {
    const tries = PORTS.map(async (port) => {
      const command = ['/agnhost', 'connect', '--timeout=2s', `${server}:${port}`]
      const exec = ['exec', 'server', '--namespace', neighbour, '--', ...command]
      return await cli.host(exec).then(
        () => [port],
        () => [],
      )
    })
    return (await Promise.all(tries)).flat()
  }

  async function isOnHost(app: string): Promise<void> {
    const name = `${app}-x-default-x-dev`
    const namespace = place.at(-1) ?? ''
    const wait = ['wait', `networkpolicy/${name}`, '--for=create', '--timeout=60s']
    await cli.host([...wait, '--namespace', namespace])
  }

  async function addressOf(namespace: string, pod: string): Promise<string> {
    const { items } = await cli.hostJson(['get', 'pods', '--namespace', namespace])
    const found = items.find((one: { metadata: { name: string } }) =>
      one.metadata.name.startsWith(pod),
    )
    return found.status.podIP
  }

  async function clusterIpOf(namespace: string, name: string): Promise<string> {
    const found = await cli.hostJson(['get', 'service', name, '--namespace', namespace])
    return found.spec.clusterIP
  }
})

function service(type: string) {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'server' },
    spec: { type, selector: { app: 'server' }, ports: [{ port: 80, targetPort: 'port-8080' }] },
  }
}

/** Is asked for each ConfigMap that has its label. */
function webhook(address: string) {
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    metadata: { name: 'some' },
    webhooks: [
      {
        name: 'some.example.com',
        clientConfig: { url: `https://${address}/` },
        objectSelector: { matchLabels: { asks: 'some' } },
        rules: [
          {
            apiGroups: [''],
            apiVersions: ['v1'],
            operations: ['CREATE'],
            resources: ['configmaps'],
          },
        ],
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
        timeoutSeconds: 3,
      },
    ],
  }
}
