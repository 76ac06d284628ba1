import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openHostCluster } from '../../../src/kube/host/open-host-cluster.ts'
import { fileOfSecretKey } from '../../../src/manifests/pod-files.ts'
import { processEnvironment } from '../../../src/shared/environment.ts'
import { waitFor } from '../../../src/shared/wait.ts'
import { describeOnHost } from '../../lab/describe-lab.ts'
import { readEtcd } from '../../manifests/planes/read-etcd.ts'
import { createHostCli, type HostCli } from '../../support/host/host-cli.ts'
import { machineAddress } from '../../support/host/machine-address.ts'
import { type OidcIssuer, startOidcIssuer } from '../../support/api/oidc-issuer.ts'

describeOnHost('settings of a plane in a host cluster', () => {
  let cli: HostCli
  let issuer: OidcIssuer
  let namespace: string

  beforeAll(async () => {
    cli = await createHostCli()
    issuer = await startOidcIssuer(machineAddress(cli.lab.kubeconfig))
    namespace = cli.newNamespace()
    const spec = join(cli.root, 'spec.json')
    const jwt = {
      issuer: {
        url: issuer.url,
        audiences: ['vplane'],
        certificateAuthority: issuer.certificateAuthority,
      },
      claimMappings: {
        username: { claim: 'email', prefix: 'people:' },
        groups: { claim: 'teams', prefix: '' },
      },
    }
    writeFileSync(spec, JSON.stringify({ authentication: { jwt: [jwt] }, ephemeral: true }))
    const at = ['--namespace', namespace]
    await cli.ok(['create', 'dev', ...at, '--file', spec, '--expose', 'node-port'])
  })
  afterAll(async () => {
    await cli[Symbol.asyncDispose]()
    await issuer[Symbol.asyncDispose]()
  })

  test('reach a plane by a port of the nodes, without a tunnel', async () => {
    const { server } = await connection()
    const service = ['get', 'service', 'vplane-dev-api', '--namespace', namespace]
    const port = await cli.host([...service, '--output', 'jsonpath={.spec.ports[0].nodePort}'])

    const connected = await cli.ok(['connect', 'dev', '--namespace', namespace])
    const { code, stderr, stdout } = await cli.kubectl(['get', 'namespace', 'default'])
    await cli.ok(['disconnect', 'dev', '--namespace', namespace])

    expect(new URL(server)).toMatchObject({ port })
    expect(connected).not.toContain('127.0.0.1')
    expect(code, stderr).toBe(0)
    expect(stdout).toContain('default')
    expect(cli.processes()).toEqual([])
  })

  test('authenticate people by tokens of an issuer, with the names in them', async () => {
    const token = issuer.token({
      aud: 'vplane',
      sub: '1',
      email: 'ada@example.com',
      teams: ['engines'],
    })

    // kube-apiserver asks the issuer for its keys when it has started.
    const whoami = await waitFor(
      async () => {
        const said = await asBearer(token, 'auth', 'whoami', '--output', 'json')
        return said.code === 0 && said
      },
      { what: 'the plane to know the issuer', timeoutMs: 60_000 },
    )
    const refused = await asBearer(issuer.token({ aud: 'another', sub: '1' }), 'get', 'namespaces')

    expect(JSON.parse(whoami.stdout).status.userInfo).toMatchObject({
      username: 'people:ada@example.com',
      groups: ['engines', 'system:authenticated'],
    })
    expect(refused.code).toBe(1)
    expect(refused.stderr).toContain('must be logged in')
    expect(issuer.asked).toContain('/keys')
  })

  test('keep Secrets in etcd so that nobody reads them there', async () => {
    const create = ['kubectl', 'create', 'secret', 'generic', 'hidden', '--from-literal=a=sesame']
    await cli.ok(['connect', 'dev', '--namespace', namespace, '--', ...create])
    const { items } = await cli.hostJson(['get', 'secrets', '--namespace', namespace])
    const files: Record<string, string> = Object.fromEntries(items.flatMap(filesIn))
    await using host = await openHostCluster({
      files: [cli.lab.kubeconfigPath],
      environment: processEnvironment(),
    })

    const stored = await readEtcd(
      { host, input: { files, namespace } },
      '/registry/secrets/default/hidden',
    )

    expect(stored.startsWith('k8s:enc:')).toBe(true)
    expect(stored).not.toContain('sesame')
  })

  /** Address and CA of the plane, as its kubeconfig says. */
  async function connection(): Promise<{ server: string; ca: string }> {
    const text = await cli.ok(['kubeconfig', 'dev', '--namespace', namespace])
    const [, server = ''] = /server: "?([^"\s]+)/.exec(text) ?? []
    const [, authority = ''] = /certificate-authority-data: "?([^"\s]+)/.exec(text) ?? []
    const ca = join(cli.root, 'ca.crt')
    writeFileSync(ca, Buffer.from(authority, 'base64'))
    return { server, ca }
  }

  /** Runs kubectl with a token and nothing else. */
  async function asBearer(token: string, ...args: string[]) {
    const { ca, server } = await connection()
    const flags = ['--server', server, '--certificate-authority', ca, '--token', token]
    return cli.kubectl([...flags, ...args], { env: { KUBECONFIG: join(cli.root, 'none') } })
  }
})

interface Secret {
  data?: Record<string, string>
}

function filesIn({ data = {} }: Secret): Array<[string, string]> {
  return Object.entries(data).map(([key, value]) => [
    fileOfSecretKey(key),
    Buffer.from(value, 'base64').toString(),
  ])
}
