import { podDialer } from '../drivers/kubernetes/dial/pod-dialer.ts'
import { openHostCluster } from '../kube/host/open-host-cluster.ts'
import type { DialSource } from '../tunnel/connections/renewable-dial.ts'
import { runTunnel } from '../tunnel/process/serve-tunnel.ts'
import type { TunnelSettings } from '../tunnel/record/tunnel-record.ts'

/** The host context of planes in the cluster that vplane itself runs in; it is in no kubeconfig. */
const IN_CLUSTER = 'in-cluster'

/** How long vplane watches pods after the last connection: most clients come back soon. */
const LINGER_MS = 60_000

/** How long vplane avoids a running pod that is not ready: it, or another pod, may become ready soon. */
const UNREADY_AFTER_MS = 5000

/** Runs `vplane tunnel FOLDER`, whose settings are in the folder, and returns its exit status. */
export function runTunnelProcess([folder = '']: readonly string[]): Promise<number> {
  return runTunnel(folder, openSource)
}

async function openSource({ host, plane }: TunnelSettings): Promise<DialSource> {
  const { files, environment } = host
  const context = plane.hostContext === IN_CLUSTER ? undefined : plane.hostContext
  const cluster = await openHostCluster({ files, environment, context })
  const dial = podDialer({
    api: cluster.api,
    forward: (target, options) => cluster.forward(target, options),
    namespace: plane.namespace ?? cluster.namespace,
    name: plane.name,
    lingerMs: LINGER_MS,
    unreadyAfterMs: UNREADY_AFTER_MS,
  })
  return { dial, [Symbol.asyncDispose]: () => cluster[Symbol.asyncDispose]() }
}
