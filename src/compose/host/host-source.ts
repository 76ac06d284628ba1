import type { Contexts } from '../../control-plane/use-cases/access/contexts.ts'
import type { HostCluster } from '../../kube/host/open-host-cluster.ts'
import type { Environment } from '../../shared/environment.ts'
import { isVplaneError, VplaneError } from '../../shared/errors.ts'

export interface HostAccess {
  /** Files of the kubeconfig; the first one wins. */
  files: readonly string[]
  /** The variables for logins and proxies. */
  environment: Environment
}

export interface HostSourceOptions extends HostAccess {
  contexts: Pick<Contexts, 'currentPlane' | 'hostBehind' | 'hostContext'>
  /** @default the current one, or the host context of its plane */
  context?: string | undefined
  /** @default the namespace of the context */
  namespace?: string | undefined
  isInteractive: boolean
}

/** The host cluster of this process, which is read and opened when it is needed. */
export interface HostSource extends AsyncDisposable {
  /** The host context of new planes; undefined when they do not run in a host cluster by default. */
  context: () => Promise<string | undefined>
  /** Whether vplane searches a host cluster for planes. */
  isKnown: () => Promise<boolean>
  /** The host namespace of new planes: the user's choice, then `own`, then that of the context; `default` without a host. */
  namespace: (own?: string) => Promise<string>
  /** @throws {VplaneError} `USAGE` when no host cluster is known, and what `openHostCluster` throws. */
  open: () => Promise<HostCluster>
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
    // A command that needs the host reports this error when it opens it.
    if (isVplaneError(error, 'USAGE')) {
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
      'the current context points at a control plane, and no host cluster is known',
      { hints: [{ hostContext: 'NAME' }, 'kubectl config get-contexts'] },
    )
  }
  const cluster = await openHostCluster({ files, context, environment, interactive: isInteractive })
  return namespace === undefined ? cluster : { ...cluster, namespace }
}
