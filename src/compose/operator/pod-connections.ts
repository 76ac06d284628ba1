import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import type { Host } from '../../drivers/kubernetes/context/context.ts'
import type { KubeClient } from '../../kube/client/client.ts'
import { RELAY_PORT } from '../../manifests/database/relay-pod.ts'
import { API_PORT } from '../../manifests/ports.ts'
import { VplaneError } from '../../shared/errors.ts'
import { textAt } from '../../shared/json-fields.ts'
import { objectPath } from '../../shared/kube/collections.ts'
import { limitedStream } from './limited-stream.ts'

/** How long a pod may take to answer, in milliseconds: in one cluster it answers at once. */
const DIRECT_MS = 2000

/**
 * Connects from inside of the cluster to kube-apiserver in a pod, and through the API server of the cluster when it does
 * not answer. To other ports, such as those of etcd, always: their network policy keeps this pod out, but not the node.
 * What comes from servers of databases is limited.
 */
export function podConnections({ api, direct = API_PORT, forward }: PodNetwork): Host['forward'] {
  return async (target, { signal }) => {
    if (target.port === RELAY_PORT) {
      return limitedStream(await forward(target, { signal }))
    }
    if (target.port !== direct) {
      return forward(target, { signal })
    }
    try {
      const limit = AbortSignal.any([signal, AbortSignal.timeout(DIRECT_MS)])
      return await connectDirectly(api, target, limit)
    } catch {
      signal.throwIfAborted()
      return forward(target, { signal })
    }
  }
}

export interface PodNetwork extends Pick<Host, 'forward'> {
  api: Pick<KubeClient, 'get'>
  /** The port that is reached directly. @default that of kube-apiserver */
  direct?: number
}

async function connectDirectly(
  api: PodNetwork['api'],
  { namespace, pod, port }: Parameters<Host['forward']>[0],
  signal: AbortSignal,
): Promise<Socket> {
  const found = await api.get(objectPath('pods', { name: pod, namespace }), { signal })
  const host = textAt(found, 'status', 'podIP')
  if (host === undefined) {
    throw new VplaneError('NOT_FOUND', `pod "${pod}" has no address`)
  }
  const socket = connect({ host, port, signal })
  await once(socket, 'connect', { signal })
  return socket
}
