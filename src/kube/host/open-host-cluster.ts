import type { Duplex } from 'node:stream'
import type { Environment } from '../../shared/environment.ts'
import { VplaneError } from '../../shared/errors.ts'
import { type KubeClient, kubeClientOf } from '../client/client.ts'
import { type CredentialSource, type Patience, PATIENCE } from '../connection.ts'
import type { ForwardTarget } from '../forward/forwarded-stream.ts'
import { createPeer } from '../http/peer.ts'
import { contextConnection } from './context-connection.ts'
import { impersonationHeaders } from './kubeconfig/impersonation.ts'
import { inClusterContext } from './in-cluster.ts'
import { type Kubeconfig, readKubeconfig } from './kubeconfig/read-kubeconfig.ts'
import { type ResolvedContext, resolveContext } from './kubeconfig/resolve-context.ts'

/** How long a credential plugin may take when it cannot ask the user. */
const PLUGIN_TIMEOUT_MS = 60_000

/** A host cluster, opened with a context of a kubeconfig. */
export interface HostCluster extends AsyncDisposable {
  /** Name of the context; `in-cluster` if this process runs in a pod of the cluster. */
  readonly context: string
  readonly namespace: string
  readonly server: string
  readonly api: KubeClient
  /**
   * Opens one TCP stream to a port of a pod, through the API server; destroying it closes all connections behind it.
   * The signal ends only the attempt. If nothing listens on the port, the stream fails later.
   *
   * @throws {VplaneError} `NOT_FOUND` when the pod does not exist, `FAILED` when a permission or a login is missing,
   *   `UNREACHABLE` and `TIMED_OUT` when the API server does not answer.
   */
  forward(target: ForwardTarget, options: { signal: AbortSignal }): Promise<Duplex>
}

export interface HostClusterOptions {
  /** The files of the kubeconfig, as `kubeconfigLocation` finds them; the first one has precedence. */
  files: readonly string[]
  /** Name of a context. @default the current one, or the cluster of this pod when no kubeconfig exists */
  context?: string | undefined
  /** The environment for credential plugins; it also names the proxy. */
  environment: Environment
  /** Whether a credential plugin may ask the user on the terminal. @default false */
  interactive?: boolean
  patience?: Partial<Patience>
}

/**
 * Opens the host cluster of a context. It only reads files: it connects and runs plugins on first use.
 *
 * Later requests fail with `FAILED` and `isLoginNeeded` when the credentials are invalid or have expired.
 *
 * @throws {VplaneError} `USAGE` without a kubeconfig or a context, or when an entry that the context names is missing;
 *   `INVALID_SPEC` when the kubeconfig is not one, `FAILED` when it cannot be read or kubectl would not accept it.
 */
export async function openHostCluster(options: HostClusterOptions): Promise<HostCluster> {
  const closing = new AbortController()
  const loaded = await load(options, closing.signal)
  const { cluster, context } = loaded
  const reload = async () => {
    // Another context may have become the current one in the meantime.
    const next = await load({ ...options, context: loaded.name }, closing.signal)
    return next.cluster.server === cluster.server ? next : undefined
  }
  const peer = createPeer(
    {
      ...cluster,
      headers: impersonationHeaders(context.user),
      credentials: renewingCredentials(loaded, reload),
    },
    { ...PATIENCE, ...options.patience },
  )
  const streams = new Set<Duplex>()
  return {
    context: context.name,
    namespace: context.namespace,
    server: cluster.server,
    api: kubeClientOf(peer),
    forward: async (target, { signal }) => {
      const { openForward } = await import('../forward/open-forward.ts')
      const stream = await openForward(peer, target, { signal })
      streams.add(stream)
      return stream.once('close', () => streams.delete(stream))
    },
    [Symbol.asyncDispose]: async () => {
      closing.abort(new VplaneError('ABORTED', `the client of ${cluster.server} was closed`))
      await peer[Symbol.asyncDispose]()
      streams.forEach((stream) => stream.destroy())
    },
  }
}

/** Reads the kubeconfig; `name` is the name of the context if the kubeconfig contains it. */
async function load(options: HostClusterOptions, signal: AbortSignal) {
  const { environment, interactive = false } = options
  const kubeconfig = await readKubeconfig(options.files)
  const context = await findContext(kubeconfig, options)
  const connection = contextConnection(context, {
    environment,
    isInteractive: interactive,
    timeoutMs: PLUGIN_TIMEOUT_MS,
    signal,
  })
  const name = kubeconfig.contexts.has(context.name) ? context.name : undefined
  return { ...connection, name, context, text: kubeconfig.text }
}

async function findContext(
  kubeconfig: Kubeconfig,
  { context, environment, files }: HostClusterOptions,
): Promise<ResolvedContext> {
  const isEmpty = kubeconfig.contexts.size === 0 && kubeconfig.clusters.size === 0
  const own = isEmpty && context === undefined ? await inClusterContext(environment) : undefined
  if (own !== undefined) {
    return own
  }
  if (kubeconfig.files.length === 0) {
    const list = files.map((file) => `"${file}"`).join(' and ')
    throw new VplaneError('USAGE', `there is no kubeconfig: ${list} do not exist`, {
      hints: [
        'export KUBECONFIG=FILE',
        { action: 'create', plane: { name: 'NAME' }, driver: 'local' },
      ],
    })
  }
  return resolveContext(kubeconfig, context)
}

/** Credentials that were read from a kubeconfig. */
export interface LoadedCredentials {
  source: CredentialSource
  /** The text of the kubeconfigs, to detect changes. */
  text: string
}

/**
 * Credentials that are loaded again when the server refuses them and the kubeconfig has changed, because many logins
 * write their token there. `load` returns undefined when the kubeconfig names another server.
 */
export function renewingCredentials(
  loaded: LoadedCredentials,
  load: () => Promise<LoadedCredentials | undefined>,
): CredentialSource {
  let current = loaded
  return {
    current: () => current.source.current(),
    renew: async (refused) => {
      const next = await load()
      if (next === undefined || next.text === current.text) {
        return current.source.renew(refused)
      }
      current = next
      return true
    },
    denial: (refusal) => current.source.denial(refusal),
  }
}
