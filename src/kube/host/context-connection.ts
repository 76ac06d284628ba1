import type { Credential, CredentialSource } from '../connection.ts'
import { type ClusterConnection, toClusterConnection } from './cluster-connection.ts'
import type { ExecCluster, ExecCredentials, ExecOptions } from './exec/exec-credentials.ts'
import { type ExecPlugin, toExecPlugin } from './exec/exec-plugin.ts'
import { toLoginNeeded } from './exec/to-login-needed.ts'
import type { KubeconfigEntry } from './kubeconfig/kubeconfig-entry.ts'
import type { ResolvedContext } from './kubeconfig/resolve-context.ts'
import { contentOf, storedCredential } from './kubeconfig/stored-credential.ts'

/** Connects and runs plugins on use. @throws {VplaneError} `FAILED` if kubectl would refuse it. */
export function contextConnection(
  { cluster: entry, name, user }: ResolvedContext,
  options: Omit<UserOptions, 'cluster' | 'context'>,
): { cluster: ClusterConnection; source: CredentialSource } {
  const cluster = toClusterConnection(entry, options.environment)
  return { cluster, source: userCredentials(user, { ...options, cluster, context: name }) }
}

interface UserOptions extends Omit<ExecOptions, 'cluster'> {
  cluster: ClusterConnection
}

/**
 * How long the content of files is cached, in milliseconds: with hundreds of requests a second, the syncer spent a
 * seventh of its time reading the same token. client-go caches for ten seconds.
 */
const READ_MS = 1000

/** The credentials of a user, if any. Files are read again when the server refuses their content. */
function userCredentials(
  entry: KubeconfigEntry | undefined,
  options: UserOptions,
): CredentialSource {
  const { cluster, context } = options
  // Like kubectl, send no secrets to a server without TLS.
  const user = cluster.server.startsWith('https:') ? entry : undefined
  const plugin = user && toExecPlugin(user)
  const exec = plugin && lazily(plugin, options)
  const read = user === undefined ? () => Promise.resolve<Credential>({}) : storedCredential(user)
  const readAll = () => Promise.all([contentOf(cluster.authority), read()])
  const files = cachedFor(READ_MS, readAll)
  const current = async (): Promise<Credential> => {
    const [certificateAuthority, own] = await files.get()
    // As in kubectl, a static token takes precedence over the plugin.
    const given = own.authorization === undefined ? await (await exec?.())?.current() : undefined
    return {
      certificateAuthority,
      certificate: given?.certificate ?? own.certificate,
      key: given?.key ?? own.key,
      authorization: given?.authorization ?? own.authorization,
    }
  }
  return {
    current,
    renew: async (refused) => {
      const plugins = await exec?.()
      plugins?.forget(refused)
      files.forget()
      return !isSame(await current(), refused)
    },
    denial: (cause) => {
      const why = user ? `it refused the credentials of ${user.what}` : 'it requires credentials'
      return toLoginNeeded(why, { context, plugin, cause })
    },
  }
}

/** Caches the result of a function, but not its failures. */
function cachedFor<T>(ms: number, read: () => Promise<T>): { get(): Promise<T>; forget(): void } {
  let cached: Promise<T> | undefined
  let readAt = 0
  const forget = () => {
    cached = undefined
  }
  return {
    get: () => {
      if (cached === undefined || performance.now() - readAt > ms) {
        readAt = performance.now()
        cached = read()
        cached.catch(forget)
      }
      return cached
    },
    forget,
  }
}

/** Loads the code that runs plugins on first use. */
function lazily(plugin: ExecPlugin, options: UserOptions): () => Promise<ExecCredentials> {
  let loading: Promise<ExecCredentials> | undefined
  const cluster = () => toExecCluster(options.cluster)
  const load = async () => {
    const { ExecCredentials } = await import('./exec/exec-credentials.ts')
    return new ExecCredentials(plugin, { ...options, cluster })
  }
  return () => (loading ??= load())
}

async function toExecCluster(cluster: ClusterConnection): Promise<ExecCluster> {
  const authority = await contentOf(cluster.authority)
  return {
    server: cluster.server,
    'tls-server-name': cluster.serverName,
    'insecure-skip-tls-verify': cluster.isInsecure || undefined,
    'certificate-authority-data': authority && Buffer.from(authority).toString('base64'),
    'proxy-url': cluster.proxyUrl,
    config: cluster.execConfig,
  }
}

function isSame(one: Credential, other: Credential): boolean {
  const fields = ['authorization', 'certificate', 'key'] as const
  return fields.every((field) => one[field] === other[field])
}
