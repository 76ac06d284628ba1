import type { Credential, CredentialSource } from '../connection.ts'
import type { ClusterConnection } from './cluster-connection.ts'
import type { ExecCluster } from './exec/exec-credential.ts'
import type { ExecCredentials, ExecOptions } from './exec/exec-credentials.ts'
import { type ExecPlugin, toExecPlugin } from './exec/exec-plugin.ts'
import type { KubeconfigEntry } from './kubeconfig/kubeconfig-entry.ts'
import { contentOf, storedCredential } from './kubeconfig/stored-credential.ts'
import { toLoginNeeded } from './exec/to-login-needed.ts'

export interface UserOptions extends Omit<ExecOptions, 'cluster'> {
  cluster: ClusterConnection
}

/**
 * How long what files say counts, in milliseconds: a process with hundreds of requests a second, such as the syncer, spent
 * a seventh of its time with reading the same token. client-go takes ten seconds.
 */
const READ_MS = 1000

/**
 * The credentials of a user of a kubeconfig, whom an undefined one has none. Files are read anew after a second, and when
 * the server refuses what was in them.
 *
 * @throws {VplaneError} `FAILED` when the entry is not one that kubectl would take, or logs in by an auth-provider.
 */
export function userCredentials(
  entry: KubeconfigEntry | undefined,
  options: UserOptions,
): CredentialSource {
  const { cluster, context } = options
  // A server without TLS is told nobody's secrets; kubectl sends none either.
  const user = cluster.server.startsWith('https:') ? entry : undefined
  const plugin = user && toExecPlugin(user)
  const exec = plugin && lazily(plugin, options)
  const read = user === undefined ? () => Promise.resolve<Credential>({}) : storedCredential(user)
  const readAll = () => Promise.all([contentOf(cluster.authority), read()])
  const files = cachedFor(READ_MS, readAll)
  const current = async (): Promise<Credential> => {
    const [certificateAuthority, own] = await files.get()
    // A token of its own makes the plugin needless, as kubectl has it.
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
      const why =
        user === undefined ? 'it wants credentials' : `it refused the credentials of ${user.what}`
      return toLoginNeeded(why, { context, plugin, cause })
    },
  }
}

/** What a function returned counts for a while, but for its failures. */
function cachedFor<T>(ms: number, read: () => Promise<T>): { get(): Promise<T>; forget(): void } {
  let kept: Promise<T> | undefined
  let readAt = 0
  const forget = () => {
    kept = undefined
  }
  return {
    get: () => {
      if (kept === undefined || performance.now() - readAt > ms) {
        readAt = performance.now()
        kept = read()
        kept.catch(forget)
      }
      return kept
    },
    forget,
  }
}

/** The code that runs plugins is loaded when there is one to run. */
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
  const { execConfig, isInsecure = false, proxyUrl, server, serverName } = cluster
  const authority = await contentOf(cluster.authority)
  return {
    server,
    ...(serverName !== undefined && { 'tls-server-name': serverName }),
    ...(isInsecure && { 'insecure-skip-tls-verify': true }),
    ...(authority !== undefined && {
      'certificate-authority-data': Buffer.from(authority).toString('base64'),
    }),
    ...(proxyUrl !== undefined && { 'proxy-url': proxyUrl }),
    ...(execConfig !== undefined && { config: execConfig }),
  }
}

function isSame(one: Credential, other: Credential): boolean {
  return (
    one.authorization === other.authorization &&
    one.certificate === other.certificate &&
    one.key === other.key
  )
}
