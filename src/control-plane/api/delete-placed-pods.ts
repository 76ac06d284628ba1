import type { PlaneApi } from './plane-api.ts'
import { fieldAt, arrayAt, textAt } from '../../shared/json-fields.ts'
import { collectionPath, objectPath } from '../../shared/kube/collections.ts'

const FINISHED = ['Succeeded', 'Failed']

/**
 * Deletes the unfinished pods that were created before a time and are bound to a node. The node was on another host, so they
 * would wait forever. Controllers create their pods again; other pods are lost, as with a node that is lost.
 */
export async function deletePlacedPods(
  api: Pick<PlaneApi, 'get' | 'delete'>,
  { before, signal }: { before: Date; signal: AbortSignal },
): Promise<void> {
  const list = await api.get(collectionPath('pods'), { signal })
  const placed = arrayAt(list, 'items').filter((pod) => isPlaced(pod, before))
  await Promise.all(
    placed.map(async (pod) => {
      const metadata = (field: string) => String(fieldAt(pod, 'metadata', field))
      const path = objectPath('pods', { name: metadata('name'), namespace: metadata('namespace') })
      await api.delete(path, { graceSeconds: 0, signal })
    }),
  )
}

function isPlaced(pod: unknown, before: Date): boolean {
  const createdAt = Date.parse(String(fieldAt(pod, 'metadata', 'creationTimestamp')))
  return (
    createdAt < before.getTime() &&
    textAt(pod, 'spec', 'nodeName') !== undefined &&
    !FINISHED.includes(String(fieldAt(pod, 'status', 'phase')))
  )
}
