import { connect } from 'node:net'
import type { Host } from '../../drivers/kubernetes/context/context.ts'
import type { KubeClient } from '../../kube/client/client.ts'
import { reasonOf, VplaneError } from '../../shared/errors.ts'
import { textAt } from '../../shared/json-fields.ts'
import { objectPath } from '../../shared/kube/collections.ts'

/**
 * Connects to ports of pods from inside of the cluster, in place of forwarding through its API server.
 * The connection fails with `NOT_FOUND` when the pod has no address, and with `UNREACHABLE` when nothing answers.
 */
export function podConnections(api: Pick<KubeClient, 'get'>): Host['forward'] {
  return async ({ namespace, pod, port }, { signal }) => {
    const found = await api.get(objectPath('pods', { name: pod, namespace }), { signal })
    const host = textAt(found, 'status', 'podIP')
    if (host === undefined) {
      throw new VplaneError('NOT_FOUND', `pod "${pod}" has no address`)
    }
    return new Promise((resolve, reject) => {
      const socket = connect({ host, port, signal })
      const fail = (cause: Error) => {
        const message = `cannot reach pod "${pod}": ${reasonOf(cause)}`
        reject(new VplaneError('UNREACHABLE', message, { cause }))
      }
      socket.once('error', fail)
      socket.once('connect', () => {
        // The signal ends only the attempt.
        socket.off('error', fail)
        resolve(socket)
      })
    })
  }
}
