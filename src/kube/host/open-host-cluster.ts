import type { Duplex } from 'node:stream'
import type { Environment } from '../../shared/environment.ts'
import { VplaneError } from '../../shared/errors.ts'
import { type KubeClient, kubeClientOf } from '../client/client.ts'
import { type Patience, PATIENCE } from '../connection.ts'
import type { ForwardTarget } from '../forward/forwarded-stream.ts'
import { createPeer } from '../http/peer.ts'
import { contextConnection } from './context-connection.ts'
import { impersonationHeaders } from './kubeconfig/impersonation.ts'
import { inClusterContext } from './in-cluster.ts'
import { type Kubeconfig, readKubeconfig } from './kubeconfig/read-kubeconfig.ts'
import { renewingCredentials } from './renewing-credentials.ts'
import { type ResolvedContext, resolveContext } from './kubeconfig/resolve-context.ts'

/** How long a credential plugin may take when it asks nobody. */
const PLUGIN_TIMEOUT_MS = 60_000

/** The cluster in whose namespaces planes run, as a context of a kubeconfig leads to it. */
export interface HostCluster extends AsyncDisposable {
  /** Name of the context; `in-cluster` for the cluster of the pod that this process is in. */
  readonly context: string
  /** Namespace of the context. */
  readonly namespace: string
  readonly server: string
  readonly api: KubeClient
  /**
   * One TCP stream to a port of a pod, through the API server; destroying it closes everything on the way. The signal
   * ends the attempt alone. That nothing listens on the port is learnt later, as an error of the stream.
   *
   * @throws {VplaneError} `NOT_FOUND` without such a pod, `FAILED` when a right or a login is missing, `UNREACHABLE` and
   * `TIMED_OUT` when the API server does not answer.
   */
  forward(target: ForwardTarget, options: { signal: AbortSignal }): Promise<Duplex>
}

export interface HostClusterOptions {
  /** The files of the kubeconfig, as `kubeconfigLocation` finds them; the first one wins. */
  files: readonly string[]
  /** Name of a context. @default the current one, or the cluster of this pod when there is no kubeconfig */
  context?: string | undefined
  /** What credential plugins get; says which proxy there is on the way. */
  environment: Environment
  /** Whether a person is at the terminal and the terminal is ours: a plugin may then ask. @default false */
  interactive?: boolean
  patience?: Partial<Patience>
}

/**
 * The host cluster of a context. Only files are read here: nothing is connected and no plugin runs before it is used.
 *
 * Whatever is asked of it later fails with `FAILED` and `isLoginNeeded` when its credentials are not, or no longer, good.
 *
 * @throws {VplaneError} `USAGE` without a kubeconfig, without a context, or when the context names what is not there;
 * `FAILED` when the kubeconfig cannot be read or says what kubectl would not take.
 */
export async function openHostCluster(options: HostClusterOptions): Promise<HostCluster> {
  const closing = new AbortController()
  const loaded = await load(options, closing.signal)
  const { cluster, context } = loaded
  const reload = async () => {
    // Somebody may have made another context the current one meanwhile.
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
      for (const stream of streams) {
        stream.destroy()
      }
    },
  }
}

/** Everything that the kubeconfig says now; `name` is that of the context when it is in there. */
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
