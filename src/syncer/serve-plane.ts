import { FRONT_PROXY_USER, KUBELET_CLIENT_USER } from '../control-plane/sync/prepare-sync.ts'
import type { KubeClient } from '../kube/client/client.ts'
import type { Peer } from '../kube/http/peer.ts'
import { SYNCER_PORTS } from '../manifests/ports.ts'
import { askLeader } from './leader/ask-leader.ts'
import { locatePod } from './kubelet/locate-pod.ts'
import { serveKubelet } from './kubelet/serve-kubelet.ts'
import { serveNodes } from './kubelet/serve-nodes.ts'
import { CpuCounters } from './metrics/cpu-counters.ts'
import { figurePages, type FigureOptions } from './metrics/figure-pages.ts'
import { hostNodeMetrics } from './metrics/host-usage.ts'
import { serveMetrics } from './metrics/serve-metrics.ts'
import type { Caches } from './open-caches.ts'
import type { SyncerSettings } from './scope/settings.ts'
import type { SyncScope } from './scope/sync-scope.ts'
import { serveRenewed, type SyncerPki } from './tls/syncer-pki.ts'

export interface ServeOptions extends Pick<
  FigureOptions,
  'isLeading' | 'onError' | 'plane' | 'readUsage'
> {
  scope: SyncScope
  settings: SyncerSettings
  pki: SyncerPki
  caches: Caches
  peer: Peer
  host: Pick<KubeClient, 'get' | 'list'>
}

const ADDRESS = '::'

/** Serves the plane's kubelets and metrics to its kube-apiserver, in every syncer, whether it leads or not. */
export async function servePlane(options: ServeOptions): Promise<AsyncDisposable> {
  const { caches, host, onError, peer, pki, scope, settings } = options
  const nodes = caches.nodes.virtual
  const readNodes = settings.rules.nodes === true ? hostNodeMetrics(host) : undefined
  const metrics = { ...options, nodes, readNodes, clientName: FRONT_PROXY_USER }
  const figures = { ...options, nodes, counters: new CpuCounters(), askLeader: askLeader(options) }
  await using stack = new AsyncDisposableStack()
  stack.use(
    await serveRenewed(pki, 'frontProxyAuthority', (tls) =>
      serveMetrics({ ...metrics, address: ADDRESS, port: SYNCER_PORTS.metrics, tls }),
    ),
  )
  const serve = (node: string, port: number) =>
    serveRenewed(pki, 'authority', (tls) =>
      serveKubelet({
        node,
        address: ADDRESS,
        port,
        tls,
        clientName: KUBELET_CLIENT_USER,
        locate: (pod) => locatePod({ scope, pods: caches.pods }, pod),
        host: peer,
        pages: figurePages({ name: node, port }, figures),
      }),
    )
  stack.use(serveNodes({ nodes, firstPort: SYNCER_PORTS.kubelet, serve, onError }))
  return stack.move()
}
