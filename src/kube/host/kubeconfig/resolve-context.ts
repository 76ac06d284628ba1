import { closestTo } from '../../../shared/text/closest.ts'
import { VplaneError } from '../../../shared/errors.ts'
import { shellWord } from '../../../shared/text/shell-word.ts'
import type { Kubeconfig } from './read-kubeconfig.ts'
import type { KubeconfigEntry } from './kubeconfig-entry.ts'

/** A context with its cluster and user. */
export interface ResolvedContext {
  name: string
  /** Its default namespace. */
  namespace: string
  cluster: KubeconfigEntry
  /** Undefined when it names no user: requests are anonymous then. */
  user: KubeconfigEntry | undefined
}

/** @throws {VplaneError} `USAGE` with the closest name when it, its cluster or user is missing. */
export function resolveContext(kubeconfig: Kubeconfig, wanted?: string): ResolvedContext {
  const name = wanted ?? kubeconfig.currentContext
  if (name === undefined) {
    throw noCurrentContext(kubeconfig)
  }
  const context = kubeconfig.contexts.get(name)
  if (context === undefined) {
    const why = wanted === undefined ? ', which is the current one' : ''
    throw missing(`there is no context "${name}" in the kubeconfig${why}`, {
      name,
      names: [...kubeconfig.contexts.keys()],
      all: 'kubectl config get-contexts',
    })
  }
  const cluster = context.text('cluster')
  if (cluster === undefined) {
    throw new VplaneError('USAGE', `the context "${name}" names no cluster`, {
      hints: [`kubectl config set-context ${shellWord(name)} --cluster=NAME`],
    })
  }
  const user = context.text('user')
  return {
    name,
    namespace: context.text('namespace') ?? 'default',
    cluster: named(kubeconfig.clusters, { context: name, kind: 'cluster', name: cluster }),
    user: user ? named(kubeconfig.users, { context: name, kind: 'user', name: user }) : undefined,
  }
}

function named(
  entries: Map<string, KubeconfigEntry>,
  { context, kind, name }: { context: string; kind: 'cluster' | 'user'; name: string },
): KubeconfigEntry {
  const entry = entries.get(name)
  if (entry === undefined) {
    throw missing(`the ${kind} "${name}" of the context "${context}" is not in the kubeconfig`, {
      name,
      names: [...entries.keys()],
      all: `kubectl config get-${kind}s`,
    })
  }
  return entry
}

function missing(
  message: string,
  { all, name, names }: { name: string; names: string[]; all: string },
): VplaneError {
  const closest = closestTo(name, names)
  const hints = closest === undefined ? [all] : [`did you mean "${closest}"?`, all]
  return new VplaneError('USAGE', message, { hints })
}

function noCurrentContext({ contexts, files }: Kubeconfig): VplaneError {
  const [first] = contexts.keys()
  return new VplaneError('USAGE', `the kubeconfig "${files.join('", "')}" has no current context`, {
    hints: [
      `kubectl config use-context ${first === undefined ? 'NAME' : shellWord(first)}`,
      'kubectl config get-contexts',
    ],
  })
}
