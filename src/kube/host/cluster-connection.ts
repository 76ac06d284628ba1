import type { Environment } from '../../shared/environment.ts'
import type { KubeConnection } from '../connection.ts'
import { parseProxyUrl, proxyFromEnvironment } from './environment-proxy.ts'
import type { KubeconfigEntry } from './kubeconfig/kubeconfig-entry.ts'
import type { Stored } from './kubeconfig/stored-credential.ts'

/** How to connect to a cluster, as its entry describes it. */
export interface ClusterConnection extends Pick<
  KubeConnection,
  'server' | 'serverName' | 'isInsecure' | 'proxy'
> {
  /** Its CA bundle; without text and file, the CAs of this machine apply. */
  authority: Stored
  /** The proxy in the entry itself, not the one of the environment. */
  proxyUrl?: string | undefined
  /** The entry's configuration of credential plugins. */
  execConfig?: unknown
}

/** The extension of a cluster that client-go passes to credential plugins. */
const EXEC_EXTENSION = 'client.authentication.k8s.io/exec'

/** @throws {VplaneError} `FAILED` when the entry contradicts itself, or names no server. */
export function toClusterConnection(
  cluster: KubeconfigEntry,
  environment: Environment,
): ClusterConnection {
  const what = `certificate authority of ${cluster.what}`
  const data = cluster.data('certificate-authority-data')
  const file = data === undefined ? cluster.path('certificate-authority') : undefined
  const isInsecure = cluster.flag('insecure-skip-tls-verify')
  const hasAuthority = (data ?? file) !== undefined
  if (isInsecure && hasAuthority) {
    throw cluster.problem('it has both a certificate authority and insecure-skip-tls-verify')
  }
  const server = serverOf(cluster, isInsecure || hasAuthority)
  const proxyUrl = cluster.text('proxy-url')
  return {
    server: server.href.replace(/\/$/, ''),
    serverName: cluster.text('tls-server-name'),
    isInsecure,
    authority: { what, data, file },
    proxy:
      proxyUrl === undefined
        ? proxyFromEnvironment(server, environment)
        : parseProxyUrl(proxyUrl, `"proxy-url" of ${cluster.what}`),
    proxyUrl,
    execConfig: cluster
      .entries('extensions')
      .find((extension) => extension.text('name') === EXEC_EXTENSION)
      ?.value('extension'),
  }
}

/** The server's address. As in kubectl, the other fields decide on the protocol if the address has none. */
function serverOf(cluster: KubeconfigEntry, hasTls: boolean): URL {
  const server = cluster.text('server')
  if (server === undefined) {
    throw cluster.problem('it names no server')
  }
  const address = server.includes('://') ? server : `${hasTls ? 'https' : 'http'}://${server}`
  const url = URL.parse(address)
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw cluster.problem(`"${server}" is not the address of a server`)
  }
  url.search = ''
  url.hash = ''
  return url
}
