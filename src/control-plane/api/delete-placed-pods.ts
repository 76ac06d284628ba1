import { listObjects } from './list-objects.ts'
import type { PlaneApi } from './plane-api.ts'
import { deletePod, hasNode, isEnded } from './pods.ts'

/**
 * Deletes the unfinished pods that were created before a time and are bound to a node. The node was on another host, so they
 * would wait forever. Controllers create their pods again; other pods are lost, as with a node that is lost.
 */
export async function deletePlacedPods(
  api: Pick<PlaneApi, 'get' | 'delete'>,
  { before, signal }: { before: Date; signal: AbortSignal },
): Promise<void> {
  const pods = await listObjects(api, 'pods', signal)
  const placed = pods.filter((pod) => {
    const createdAt = Date.parse(String(pod.metadata['creationTimestamp']))
    return createdAt < before.getTime() && hasNode(pod) && !isEnded(pod)
  })
  await Promise.all(placed.map((pod) => deletePod(api, pod, signal)))
}
