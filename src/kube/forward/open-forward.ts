import { VplaneError } from '../../shared/errors.ts'
import { httpStatusOf } from '../kube-error.ts'
import type { Peer } from '../http/peer.ts'
import { ForwardedStream, type ForwardTarget } from './forwarded-stream.ts'
import { openWebsocket } from './open-websocket.ts'
import { objectPath } from '../../shared/kube/collections.ts'

/** Both directions of one port; neither can end alone. All supported versions of Kubernetes implement it. */
const PROTOCOL = 'v4.channel.k8s.io'

/** Opens the stream that `HostCluster.forward` promises. */
export async function openForward(
  peer: Peer,
  target: ForwardTarget,
  { signal }: { signal: AbortSignal },
): Promise<ForwardedStream> {
  const { namespace, pod, port } = target
  const path = `${objectPath('pods', { name: pod, namespace })}/portforward?ports=${port}`
  try {
    const websocket = await openWebsocket(peer, { path, protocol: PROTOCOL, signal })
    return new ForwardedStream(websocket, { target, patience: peer.patience })
  } catch (error) {
    throw httpStatusOf(error) === 403 ? toMissingRight(error, target) : error
  }
}

/** Kubernetes 1.35 and later require both rights for a websocket, see kubernetes/kubernetes#134577. */
function toMissingRight(error: unknown, { namespace }: ForwardTarget): VplaneError {
  const reason = error instanceof VplaneError ? `: ${error.message}` : ''
  const message = `forwarding requires the rights "get" and "create" on pods/portforward in namespace "${namespace}"${reason}`
  return new VplaneError('FAILED', message, {
    hints: [
      `kubectl create role vplane-port-forward --verb=get,create --resource=pods/portforward --namespace ${namespace}`,
      `kubectl auth can-i create pods/portforward --namespace ${namespace}`,
    ],
    cause: error instanceof VplaneError ? error.cause : error,
  })
}
