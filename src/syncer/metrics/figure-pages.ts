import { SYNCER_USER } from '../../control-plane/sync/prepare-sync.ts'
import type { KubeClient } from '../../kube/client/client.ts'
import type { ObjectCache } from '../../kube/cache/object-cache.ts'
import {
  type KubeletPage,
  type KubeletPages,
  reviewToken,
} from '../kubelet/requests/kubelet-page.ts'
import type { AskLeader } from '../leader/ask-leader.ts'
import { toObjectKey } from '../../kube/cache/object-key.ts'
import type { CpuCounters } from './cpu-counters.ts'
import type { ReadUsage } from './host-usage.ts'
import { type NodeFigures, nodeFigures, resourceMetrics, statsSummary } from './node-figures.ts'

export interface FigureOptions {
  nodes: Pick<ObjectCache, 'get'>
  plane: Pick<KubeClient, 'create'>
  readUsage: ReadUsage
  counters: CpuCounters
  /** Whether this syncer leads and thus counts. */
  isLeading: () => boolean
  askLeader: AskLeader
  onError: (what: string, error: unknown) => void
}

interface FigurePage {
  path: string
  subresource: 'metrics' | 'stats'
  contentType: string
  format: (node: NodeFigures) => string
}

const PAGES: readonly FigurePage[] = [
  {
    path: '/metrics/resource',
    subresource: 'metrics',
    contentType: 'text/plain; version=0.0.4; charset=utf-8',
    format: resourceMetrics,
  },
  {
    path: '/stats/summary',
    subresource: 'stats',
    contentType: 'application/json',
    format: (node) => JSON.stringify(statsSummary(node)),
  },
]

/** The query of a request from another syncer, which is not forwarded again. */
const LAST = 'leader'

/** The pages with a node's usage for clients that RBAC allows. Only the leader counts; others forward requests to it. */
export function figurePages(
  node: { name: string; port: number },
  options: FigureOptions,
): KubeletPages {
  return Object.fromEntries(PAGES.map((page) => [page.path, kubeletPage(page, node, options)]))
}

function kubeletPage(
  { contentType, format, path, subresource }: FigurePage,
  { name, port }: { name: string; port: number },
  options: FigureOptions,
): KubeletPage {
  const { askLeader, counters, isLeading, nodes, onError, plane, readUsage } = options
  const answer: KubeletPage['answer'] = async ({ query, signal }) => {
    try {
      if (isLeading()) {
        const usages = await readUsage()
        counters.add(usages)
        const node = nodes.get(toObjectKey({ name })) ?? { metadata: { name } }
        return { status: 200, contentType, body: format(nodeFigures(node, usages, counters)) }
      }
      const asked = { port, path: `${path}?${LAST}` }
      const answer = query.has(LAST) ? undefined : await askLeader(asked, signal)
      if (answer !== undefined) {
        return { ...answer, contentType }
      }
    } catch (error) {
      // The host's own message is not for users of the plane.
      onError(`${path} of node "${name}"`, error)
    }
    return { status: 503, body: 'the host cluster has no metrics now' }
  }
  const mayRead: KubeletPage['mayRead'] = async ({ client, token }, signal) => {
    if (client === SYNCER_USER) {
      return 'allowed'
    }
    return token === undefined
      ? 'unknown'
      : reviewToken(plane, { token, node: name, subresource }, signal)
  }
  return { answer, mayRead }
}
