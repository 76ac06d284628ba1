import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import type { Host } from '../../drivers/kubernetes/context/context.ts'
import type { KubeClient } from '../../kube/client/client.ts'
import { VplaneError } from '../../shared/errors.ts'
import { textAt } from '../../shared/json-fields.ts'
import { objectPath } from '../../shared/kube/collections.ts'

/** How long a pod may take to answer, in milliseconds: in one cluster it answers at once. */
const DIRECT_MS = 2000

/**
 * Connects to ports of pods from inside of the cluster, and through its API server when a pod does not answer: network
 * policies keep this pod out, but not the node of the other one.
 */
export function podConnections({ api, forward }: PodNetwork): Host['forward'] {
  return async (target, { signal }) => {
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
