import type { Environment } from '../../shared/environment.ts'
import type { KubeConnection } from '../connection.ts'
import { proxyFromEnvironment } from './environment-proxy.ts'
import type { KubeconfigEntry } from './kubeconfig/kubeconfig-entry.ts'
import { parseProxyUrl } from './parse-proxy-url.ts'
import type { Stored } from './kubeconfig/stored-credential.ts'

/** How a cluster is reached, as far as its own entry says. */
export interface ClusterConnection extends Pick<
  KubeConnection,
  'server' | 'serverName' | 'isInsecure' | 'proxy'
> {
  /** Its CA bundle; neither text nor file when those of this machine count. */
  authority: Stored
  /** The proxy as the entry has it, without what the environment says. */
  proxyUrl?: string | undefined
  /** What the entry has for credential plugins. */
  execConfig?: unknown
}

/** The extension of a cluster that plugins get, by the name that client-go gave it. */
const EXEC_EXTENSION = 'client.authentication.k8s.io/exec'

/**
 * Reads the cluster of a kubeconfig.
 *
 * @throws {VplaneError} `FAILED` when the entry contradicts itself, or names no server.
 */
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

/** Without a protocol it is the one that the rest of the entry is for, as kubectl has it. */
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
