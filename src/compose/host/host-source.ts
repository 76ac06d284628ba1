import type { Contexts } from '../../control-plane/use-cases/access/contexts.ts'
import type { HostCluster } from '../../kube/host/open-host-cluster.ts'
import type { Environment } from '../../shared/environment.ts'
import { VplaneError } from '../../shared/errors.ts'

/** How the host cluster is reached. */
export interface HostAccess {
  /** The files of the kubeconfig; the first one wins. */
  files: readonly string[]
  /** What logins and proxies go by. */
  environment: Environment
}

export interface HostSourceOptions extends HostAccess {
  contexts: Pick<Contexts, 'currentPlane' | 'hostBehind' | 'hostContext'>
  /** Name of the context that the user says. @default the current one, or the one behind it */
  context?: string | undefined
  /** Where planes go that name no namespace. @default the namespace of the context */
  namespace?: string | undefined
  /** Whether a person is at the terminal, whom a login may ask. */
  isInteractive: boolean
}

/** The host cluster of this process: nothing is read or opened before it is needed. */
export interface HostSource extends AsyncDisposable {
  /** The context by which a new plane goes there; undefined when it does not go to a host by itself. */
  context(): Promise<string | undefined>
  /** Whether there is a host in which planes are looked for. */
  isKnown(): Promise<boolean>
  /**
   * Where planes go that name no namespace: what the user has set, then `own`, then the namespace of the context;
   * `default` without a host, as with kubectl.
   */
  namespace(own?: string): Promise<string>
  /**
   * The host cluster.
   *
   * @throws {VplaneError} `USAGE` when there is none, and what `openHostCluster` throws.
   */
  open(): Promise<HostCluster>
}

/** Finds the host cluster by flags, settings and kubeconfig. */
export function hostSource(options: HostSourceOptions): HostSource {
  const { contexts } = options
  let opening: Promise<HostCluster> | undefined
  const context = () => contexts.hostContext(options.context)
  const behind = async () => (await context()) ?? (await contexts.hostBehind())
  const open = () => (opening ??= openHost(options, behind))
  return {
    context,
    open,
    isKnown: async () => (await behind()) !== undefined,
    namespace: async (own) => options.namespace ?? own ?? (await namespaceOf(open)),
    [Symbol.asyncDispose]: async () => {
      const opened = await opening?.catch(() => undefined)
      await opened?.[Symbol.asyncDispose]()
    },
  }
}

async function namespaceOf(open: HostSource['open']): Promise<string> {
  try {
    return (await open()).namespace
  } catch (error) {
    // Whoever needs the host is told when it is needed.
    if (error instanceof VplaneError && error.code === 'USAGE') {
      return 'default'
    }
    throw error
  }
}

async function openHost(
  options: HostSourceOptions,
  behind: () => Promise<string | undefined>,
): Promise<HostCluster> {
  const { contexts, environment, files, isInteractive, namespace } = options
  const [{ openHostCluster }, context] = await Promise.all([
    import('../../kube/host/open-host-cluster.ts'),
    behind(),
  ])
  if (context === undefined && (await contexts.currentPlane()) !== undefined) {
    throw new VplaneError(
      'USAGE',
      'the current context leads to a control plane, and no host cluster is known',
      { hints: [{ hostContext: 'NAME' }, 'kubectl config get-contexts'] },
    )
  }
  const cluster = await openHostCluster({ files, context, environment, interactive: isInteractive })
  return namespace === undefined ? cluster : { ...cluster, namespace }
}
