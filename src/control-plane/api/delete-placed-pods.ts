import type { PlaneApi } from './plane-api.ts'
import { fieldAt, arrayAt, textAt } from '../../shared/json-fields.ts'
import { collectionPath, objectPath } from '../../shared/kube/collections.ts'

/** What has ended runs nowhere. */
const ENDED = ['Succeeded', 'Failed']

/**
 * Deletes the pods made before some moment that are bound to a node: to one of another host, for which they would wait
 * for ever. Whatever makes them makes them anew; those that nothing makes are gone, as with a node that is gone.
 */
export async function deletePlacedPods(
  api: Pick<PlaneApi, 'get' | 'delete'>,
  { before, signal }: { before: Date; signal: AbortSignal },
): Promise<void> {
  const list = await api.get(collectionPath('pods'), { signal })
  const placed = arrayAt(list, 'items').filter((pod) => isPlaced(pod, before))
  await Promise.all(
    placed.map(async (pod) => {
      const [name, namespace] = ['name', 'namespace'].map((field) =>
        fieldAt(pod, 'metadata', field),
      )
      const path = objectPath('pods', { name: String(name), namespace: String(namespace) })
      await api.delete(path, { graceSeconds: 0, signal })
    }),
  )
}

function isPlaced(pod: unknown, before: Date): boolean {
  const madeAt = Date.parse(String(fieldAt(pod, 'metadata', 'creationTimestamp')))
  const phase = fieldAt(pod, 'status', 'phase')
  return (
    madeAt < before.getTime() &&
    textAt(pod, 'spec', 'nodeName') !== undefined &&
    !ENDED.includes(String(phase))
  )
}
