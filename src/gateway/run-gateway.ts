import { kubeClientOf } from '../kube/client/client.ts'
import { openHostPeer } from '../kube/host/in-cluster.ts'
import { GATEWAY_NAME } from '../manifests/object-names.ts'
import type { Environment } from '../shared/environment.ts'
import { serveGateway } from './serve-gateway.ts'

export interface RunOptions {
  environment: Environment
  log: (line: string) => void
  signal: AbortSignal
}

/**
 * Runs a gateway until the signal fires. @throws {Error} outside of a pod, or when the port of its health is
 * taken; {VplaneError} without its rights.
 */
export async function runGateway({ environment, log, signal }: RunOptions): Promise<void> {
  // The host is still needed while the gateway leaves, after the signal.
  const end = new AbortController()
  await using open = new AsyncDisposableStack()
  open.defer(() => end.abort())
  const { namespace, peer } = await openHostPeer(environment, end.signal)
  const host = open.use(kubeClientOf(peer))
  const name = environment['VPLANE_GATEWAY'] ?? GATEWAY_NAME
  await serveGateway({ host, gateway: { name, namespace }, log, signal })
}
