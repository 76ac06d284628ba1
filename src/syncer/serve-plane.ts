import {
  FRONT_PROXY_USER,
  KUBELET_CLIENT_USER,
  SYNCER_USER,
} from '../control-plane/sync/prepare-sync.ts'
import type { KubeClient } from '../kube/client/client.ts'
import type { Peer } from '../kube/http/peer.ts'
import { SYNCER_PORTS } from '../manifests/ports.ts'
import { askLeader } from './leader/ask-leader.ts'
import type { PageReader, PageReaders } from './kubelet/requests/kubelet-page.ts'
import { reviewToken } from './kubelet/requests/review-token.ts'
import { serveKubelet } from './kubelet/serve-kubelet.ts'
import { serveNodes } from './kubelet/serve-nodes.ts'
import { locatePod } from './kubelet/locate-pod.ts'
import { CpuCounters } from './metrics/cpu-counters.ts'
import { FIGURE_PAGES, figurePages, type FigureOptions } from './metrics/figure-pages.ts'
import { hostNodeMetrics } from './metrics/host-usage.ts'
import { serveMetrics } from './metrics/serve-metrics.ts'
import type { Caches } from './open-caches.ts'
import type { SyncerSettings } from './scope/settings.ts'
import type { SyncScope } from './scope/sync-scope.ts'
import { serveRenewed } from './tls/serve-renewed.ts'
import type { SyncerPki } from './tls/syncer-pki.ts'

export interface ServeOptions extends Pick<FigureOptions, 'isLeading' | 'onError' | 'readUsage'> {
  scope: SyncScope
  settings: SyncerSettings
  pki: SyncerPki
  caches: Caches
  peer: Peer
  host: Pick<KubeClient, 'get' | 'list'>
  plane: Pick<KubeClient, 'create'>
}

/** All addresses of the pod. */
const ADDRESS = '::'

/** Serves to the plane's kube-apiserver what every syncer of the plane serves, whether it leads or not. */
export async function servePlane(options: ServeOptions): Promise<AsyncDisposable> {
  const { caches, onError, pki, readUsage, settings } = options
  const nodes = caches.nodes.virtual
  await using stack = new AsyncDisposableStack()
  stack.use(
    await serveRenewed(
      { pki, authorities: ({ frontProxyAuthority }) => frontProxyAuthority },
      (tls) =>
        serveMetrics({
          address: ADDRESS,
          port: SYNCER_PORTS.metrics,
          tls,
          clientName: FRONT_PROXY_USER,
          nodes,
          readUsage,
          readNodes: settings.rules.nodes === true ? hostNodeMetrics(options.host) : undefined,
          onError,
        }),
    ),
  )
  const figures: FigureOptions = {
    ...options,
    nodes,
    counters: new CpuCounters(),
    askLeader: askLeader(options),
  }
  const serve = (node: string, port: number) =>
    serveRenewed({ pki, authorities: ({ authority }) => authority }, (tls) =>
      serveKubelet({
        node,
        address: ADDRESS,
        port,
        tls,
        clientName: KUBELET_CLIENT_USER,
        locate: (pod) => locatePod({ ...caches, scope: options.scope }, pod),
        host: options.peer,
        pages: figurePages({ name: node, port }, figures),
        readers: readersOf(node, options),
      }),
    )
  stack.use(serveNodes({ nodes, firstPort: SYNCER_PORTS.kubelet, serve, onError }))
  const owned = stack.move()
  return { [Symbol.asyncDispose]: () => owned.disposeAsync() }
}

/** What is used on a node is also for those in the plane who may read it, such as metrics-server, and for other syncers. */
function readersOf(node: string, { plane }: Pick<ServeOptions, 'plane'>): PageReaders {
  const readerOf =
    (subresource: string): PageReader =>
    async ({ client, token }, signal) => {
      if (client === SYNCER_USER) {
        return 'allowed'
      }
      return token === undefined
        ? 'unknown'
        : reviewToken(plane, { token, node, subresource }, signal)
    }
  return Object.fromEntries(
    Object.entries(FIGURE_PAGES).map(
      ([path, { subresource }]) => [path, readerOf(subresource)] as const,
    ),
  )
}
