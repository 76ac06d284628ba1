import type { AskLeader } from '../leader/ask-leader.ts'
import type { ObjectCache } from '../engine/object-cache.ts'
import { toObjectKey } from '../scope/object-key.ts'
import type { KubeletAnswer } from '../kubelet/requests/kubelet-answer.ts'
import type { KubeletPage, KubeletPages } from '../kubelet/requests/kubelet-page.ts'
import type { CpuCounters } from './cpu-counters.ts'
import type { ReadUsage } from './host-usage.ts'
import { type NodeFigures, nodeFigures } from './node-figures.ts'
import { resourceMetrics } from './resource-metrics.ts'
import { statsSummary } from './stats-summary.ts'

export interface FigureOptions {
  /** The plane's nodes. */
  nodes: Pick<ObjectCache, 'get'>
  readUsage: ReadUsage
  counters: CpuCounters
  /** Whether this syncer is the one that counts. */
  isLeading: () => boolean
  askLeader: AskLeader
  onError: (what: string, error: unknown) => void
}

interface FigurePage {
  /** How RBAC knows it. */
  subresource: 'metrics' | 'stats'
  contentType: string
  format: (node: NodeFigures) => string
}

/** What a node says of what is used on it, by path. */
export const FIGURE_PAGES: Readonly<Record<string, FigurePage>> = {
  '/metrics/resource': {
    subresource: 'metrics',
    contentType: 'text/plain; version=0.0.4; charset=utf-8',
    format: resourceMetrics,
  },
  '/stats/summary': {
    subresource: 'stats',
    contentType: 'application/json',
    format: (node) => JSON.stringify(statsSummary(node)),
  },
}

/** In the query of what one syncer asks another, which asks nobody else then. */
const LAST = 'leader'

const NOTHING: KubeletAnswer = { status: 503, body: 'the host cluster has no metrics now' }

/**
 * The pages about what is used on a node, from the host's metrics. Those are averages, and counters count on: so one syncer
 * counts, and the others ask it.
 */
export function figurePages(
  { name, port }: { name: string; port: number },
  options: FigureOptions,
): KubeletPages {
  const pageOf =
    (path: string, { contentType, format }: FigurePage): KubeletPage =>
    async ({ query, signal }) => {
      try {
        if (options.isLeading()) {
          return { status: 200, contentType, body: format(await figuresOf(name, options)) }
        }
        const answer = query.has(LAST)
          ? undefined
          : await options.askLeader({ port, path: `${path}?${LAST}` }, signal)
        return answer === undefined ? NOTHING : { ...answer, contentType }
      } catch (error) {
        // How the host says it is not for users of the plane.
        options.onError(`${path} of node "${name}"`, error)
        return NOTHING
      }
    }
  return Object.fromEntries(
    Object.entries(FIGURE_PAGES).map(([path, page]) => [path, pageOf(path, page)] as const),
  )
}

async function figuresOf(
  name: string,
  { counters, nodes, readUsage }: FigureOptions,
): Promise<NodeFigures> {
  const usages = await readUsage()
  counters.take(usages)
  const node = nodes.get(toObjectKey({ name })) ?? {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name },
  }
  return nodeFigures(node, usages, counters)
}
