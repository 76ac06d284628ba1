import { X509Certificate } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { waitFor } from '../../../src/shared/wait.ts'
import { describeOnHost } from '../../lab/describe-lab.ts'
import { bundleController, RUN_BUNDLE } from '../../support/api/bundle-controller.ts'
import type { CommandResult } from '../../support/cli/cli.ts'
import { goModuleFolder } from '../../support/programs/go-module.ts'
import { createHostCli, type HostCli } from '../../support/host/host-cli.ts'
import { nodeContainer, pod } from '../../support/host/planes/workloads.ts'

const GATEWAY_API = 'sigs.k8s.io/gateway-api@v1.4.0'
const CERT_MANAGER = 'github.com/cert-manager/cert-manager@v1.19.1'
const EXAMPLE = join(import.meta.dirname, '../../example-controller')
const HOUR_MS = 3_600_000

describeOnHost('connect to a plane in a host cluster', () => {
  let cli: HostCli
  let namespace: string
  const connect = (...command: string[]) => cli.run(['connect', 'linked', '--', ...command])
  const kubectl = (...args: string[]) => cli.ok(['connect', 'linked', '--', 'kubectl', ...args])

  beforeAll(async () => {
    cli = await createHostCli()
    namespace = cli.newNamespace()
    const gatewayApi = join(await goModuleFolder(GATEWAY_API), 'config/crd/standard')
    const certManager = join(await goModuleFolder(CERT_MANAGER), 'deploy/crds')
    const crds = ['--crd', gatewayApi, '--crd', certManager]
    await cli.ok(['create', 'linked', '--namespace', namespace, '--ephemeral', ...crds])
  })
  afterAll(() => cli[Symbol.asyncDispose]())

  test('serves the CRDs of real projects when create returns', async () => {
    const route = {
      apiVersion: 'gateway.networking.k8s.io/v1',
      kind: 'HTTPRoute',
      metadata: { name: 'shop' },
      spec: { rules: [{ backendRefs: [{ name: 'cart', port: 80 }] }] },
    }
    const certificate = {
      apiVersion: 'cert-manager.io/v1',
      kind: 'Certificate',
      metadata: { name: 'shop' },
      spec: { secretName: 'shop', dnsNames: ['shop.example.com'], issuerRef: { name: 'ca' } },
    }
    const list = { apiVersion: 'v1', kind: 'List', items: [route, certificate] }
    const apply = ['connect', 'linked', '--', 'kubectl', 'apply', '--filename', '-']

    const applied = await cli.ok(apply, { input: JSON.stringify(list) })

    expect(applied.split('\n')).toEqual([
      'httproute.gateway.networking.k8s.io/shop created',
      'certificate.cert-manager.io/shop created',
      '',
    ])
    const path = 'jsonpath={.spec.rules[0].matches[0].path.type}'
    expect(await kubectl('get', 'httproute', 'shop', '--output', path)).toBe('PathPrefix')
  })

  // Seed 000: "on the same … runtime cluster".
  test('serves a controller that runs in the host cluster beside it', async () => {
    const at = ['--namespace', namespace]
    for (const folder of ['crd', 'rbac']) {
      await kubectl('apply', '--filename', join(EXAMPLE, 'config', folder))
    }
    await kubectl('create', 'serviceaccount', 'greeter')
    const role = ['--clusterrole=greeting-controller', '--serviceaccount=default:greeter']
    await kubectl('create', 'clusterrolebinding', 'greeter', ...role)
    const token = (await kubectl('create', 'token', 'greeter')).trim()
    const authority = ['get', 'configmap', 'kube-root-ca.crt', '--output=jsonpath={.data.ca\\.crt}']
    const files = { token, namespace: 'default', 'ca.crt': await kubectl(...authority) }
    const literals = Object.entries(files).map(([name, value]) => `--from-literal=${name}=${value}`)
    await cli.host(['create', 'secret', 'generic', 'greeter', ...at, ...literals])
    const bundle = await bundleController(cli.root)
    await cli.host(['create', 'configmap', 'greeter', ...at, `--from-file=${bundle}`])
    const env = [
      { name: 'KUBERNETES_SERVICE_HOST', value: 'vplane-linked-api' },
      { name: 'KUBERNETES_SERVICE_PORT', value: '443' },
    ]
    const volumeMounts = [
      { name: 'app', mountPath: '/app' },
      { name: 'plane', mountPath: '/var/run/secrets/kubernetes.io/serviceaccount' },
    ]
    const volumes = [
      { name: 'app', configMap: { name: 'greeter' } },
      { name: 'plane', secret: { secretName: 'greeter' } },
    ]
    const container = nodeContainer('controller', RUN_BUNDLE, { env, volumeMounts })
    const spec = { volumes, automountServiceAccountToken: false }

    await cli.host(['create', ...at, '--filename', '-'], pod('greeter', [container], spec))
    const greeting = { apiVersion: 'example.com/v1', kind: 'Greeting', metadata: { name: 'ada' } }
    const input = JSON.stringify({ ...greeting, spec: { whom: 'Ada' } })
    await cli.ok(['connect', 'linked', '--', 'kubectl', 'create', '--filename', '-'], { input })

    const said = ['get', 'configmap', 'ada', '--ignore-not-found', '--output=jsonpath={.data}']
    await expect.poll(() => kubectl(...said), { timeout: 60_000 }).toContain('Hello, Ada!')
  })

  test.for([
    [['sh', '-c', 'exit 0'], 0],
    [['sh', '-c', 'exit 7'], 7],
    [['sh', '-c', 'kill -KILL $$'], 137],
    [['no-such-command'], 127],
    [['/etc/passwd'], 126],
    [['kubectl', 'get', 'namespace', 'no-such'], 1],
  ] as const)('ends as %j does', async ([command, expected]) => {
    expect((await connect(...command)).code).toBe(expected)
  })

  test('ends with 125 when there is no such plane', async () => {
    const { code, stderr } = await cli.run(['connect', 'no-such-plane', '--', 'true'])

    expect(code).toBe(125)
    expect(stderr).toContain('no control plane named "no-such-plane"')
  })

  test('passes a signal on, lets the command decide, and removes its kubeconfig', async () => {
    const script = `trap 'echo got it; exit 9' TERM; echo "$KUBECONFIG"; while :; do sleep 0.05; done`
    const running = cli.start(['connect', 'linked', '--', 'sh', '-c', script])
    const said = await running.says('\n')

    running.child.kill('SIGTERM')

    const { code, stdout } = await running.ended
    expect(code).toBe(9)
    expect(stdout).toContain('got it')
    expect(existsSync(dirname(said.trim()))).toBe(false)
  })

  test('ends with 128 + the number of the signal that ended the command', async () => {
    const running = cli.start(['connect', 'linked', '--', 'sh', '-c', 'echo ready; exec sleep 60'])
    await running.says('ready')

    running.child.kill('SIGINT')

    expect((await running.ended).code).toBe(130)
  })

  test('leaves the kubeconfig as it was, and no process, when it runs a command', async () => {
    const before = readFileSync(cli.kubeconfig, 'utf8')
    const processes = cli.processes()

    const context = await kubectl('config', 'current-context')

    expect(context).toMatch(new RegExp(`^vplane_linked_${namespace}_`))
    expect(readFileSync(cli.kubeconfig, 'utf8')).toBe(before)
    expect(cli.processes()).toEqual(processes)
  })

  test('disconnect gives the identical file back and ends the tunnel; the plane stays', async () => {
    const before = readFileSync(cli.kubeconfig, 'utf8')
    await cli.ok(['connect', 'linked'])
    expect((await cli.kubectl(['get', 'serviceaccount', 'default'])).code).toBe(0)
    expect(cli.processes()).toHaveLength(1)

    await cli.ok(['disconnect', 'linked'])

    expect(readFileSync(cli.kubeconfig, 'utf8')).toBe(before)
    expect(cli.processes()).toEqual([])
    expect((await connect('kubectl', 'get', 'namespace', 'default')).code).toBe(0)
  })

  test('authenticates as a user by a certificate with its groups, which expires at the requested time', async () => {
    const groups = ['--group', 'team-a', '--group', 'on-call']
    const role = ['--cluster-role', 'view', '--expires', '8h']
    const text = await cli.ok(['kubeconfig', 'linked', '--user', 'alice', ...groups, ...role])
    const asAlice = kubeconfigOf('alice', text)

    const [whoami, can, cannot] = await Promise.all([
      asAlice('auth', 'whoami', '--output', 'json'),
      granted(() => asAlice('get', 'configmaps')),
      asAlice('create', 'configmap', 'of-alice'),
    ])

    const { status } = JSON.parse(whoami.stdout)
    expect(status.userInfo).toMatchObject({ username: 'alice' })
    expect(status.userInfo.groups).toEqual(expect.arrayContaining(['team-a', 'on-call']))
    expect(can.code, can.stderr).toBe(0)
    expect(cannot.stderr).toContain('User "alice" cannot create resource "configmaps"')
    const { validTo } = new X509Certificate(clientCertificateIn(text))
    const remaining = Date.parse(validTo) - Date.now()
    expect(remaining).toBeGreaterThan(7.9 * HOUR_MS)
    expect(remaining).toBeLessThan(8.1 * HOUR_MS)
  })

  test('authenticates as a ServiceAccount by a token, with what its role allows', async () => {
    await kubectl('create', 'namespace', 'ci')
    const account = ['--service-account', 'ci/deployer', '--cluster-role', 'edit']
    const text = await cli.ok(['kubeconfig', 'linked', ...account])
    const asDeployer = kubeconfigOf('deployer', text)

    const path = '--output=jsonpath={.clusters[0].cluster.server}'
    const host = await cli.host(['config', 'view', '--minify', path])
    const onHost = ['--server', host, '--insecure-skip-tls-verify', '--namespace', namespace]

    const [whoami, can, cannot, below] = await Promise.all([
      asDeployer('auth', 'whoami', '--output', 'jsonpath={.status.userInfo.username}'),
      granted(() => asDeployer('create', 'configmap', 'deployed', '--namespace', 'ci')),
      asDeployer('create', 'clusterrole', 'mine', '--verb=get', '--resource=pods'),
      asDeployer('get', 'pods', ...onHost),
    ])

    expect(whoami.stdout, whoami.stderr).toBe('system:serviceaccount:ci:deployer')
    expect(can.code, can.stderr).toBe(0)
    expect(cannot.code).toBe(1)
    expect(cannot.stderr).toContain('cannot create resource "clusterroles"')
    // Seed 001: "the user does not have access to the underlying resources".
    expect(below.code).toBe(1)
    expect(below.stderr).toContain('must be logged in')
  })

  /** What a command says once the plane goes by the right that it takes, a moment after that was stored. */
  function granted(run: () => Promise<CommandResult>): Promise<CommandResult> {
    const look = async () => {
      const result = await run()
      return !result.stderr.includes('Forbidden') && result
    }
    return waitFor(look, { what: 'the right', timeoutMs: 60_000 })
  }

  /** Runs kubectl with a kubeconfig that is someone's. */
  function kubeconfigOf(name: string, text: string) {
    const path = join(cli.root, `${name}.kubeconfig`)
    writeFileSync(path, text, { mode: 0o600 })
    return (...args: string[]) => cli.kubectl(args, { env: { KUBECONFIG: path } })
  }
})

function clientCertificateIn(kubeconfig: string): Buffer {
  const [, certificate = ''] = /client-certificate-data: "?([^"\s]+)/.exec(kubeconfig) ?? []
  return Buffer.from(certificate, 'base64')
}
