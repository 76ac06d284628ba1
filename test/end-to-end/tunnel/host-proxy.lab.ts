import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeOnHost } from '../../lab/describe-lab.ts'
import { type ConnectedPlane, connectedPlane } from '../../support/cli/connected-plane.ts'
import { type FakeProxy, startFakeProxy } from '../../support/api/fake-proxy.ts'
import { createHostCli, type HostCli } from '../../support/host/host-cli.ts'
import { changeHostKubeconfig } from '../../support/host/host-kubeconfig.ts'

/** A name in the certificates of host clusters that means nothing on this machine: only the proxy leads there. */
const INSIDE = 'kubernetes.default.svc'

describeOnHost('a host behind an HTTP proxy', () => {
  let cli: HostCli
  let proxy: FakeProxy
  let plane: ConnectedPlane
  const owned = new AsyncDisposableStack()

  beforeAll(async () => {
    cli = owned.use(await createHostCli())
    const { hostname, port } = new URL(await serverOf(cli))
    const target = { host: hostname, port: Number(port === '' ? 443 : port) }
    proxy = owned.use(await startFakeProxy({ kind: 'http', ...target }))
    await changeHostKubeconfig(cli, ({ cluster }) => ({
      cluster: { ...cluster, server: `https://${INSIDE}:6443`, 'proxy-url': proxy.url.href },
    }))
    plane = await connectedPlane(cli, 'dev')
  })
  afterAll(() => owned.disposeAsync())

  test('is reached through the proxy by commands and by the tunnel', async () => {
    await plane.killTunnel()
    const before = proxy.targets.length

    const { code, stderr } = await cli.kubectl(['get', 'namespaces'])

    expect(code, stderr).toBe(0)
    expect(proxy.targets.length).toBeGreaterThan(before)
    expect(new Set(proxy.targets)).toEqual(new Set([`${INSIDE}:6443`]))
  })

  test('is reached again when the proxy had broken all connections', async () => {
    expect((await cli.kubectl(['get', 'namespaces'])).code).toBe(0)

    proxy.breakConnections()
    const { code, stderr } = await cli.kubectl(['get', 'namespaces'])

    expect(code, stderr).toBe(0)
  })
})

async function serverOf(cli: HostCli): Promise<string> {
  const server = 'jsonpath={.clusters[0].cluster.server}'
  return cli.host(['config', 'view', '--minify', '--output', server])
}
