import { RESTORED_ANNOTATION } from '../../../manifests/object-names.ts'
import { collectionPath, objectPath } from '../host/collections.ts'
import type { HostApi } from '../host/host-api.ts'
import { type PlacedName, syncedSelector } from '../context/object-names.ts'

/**
 * Marks the host claims of a plane's pods as older than its data is to be: those that the restored plane does not know were
 * made after the snapshot, and nobody has deleted them. Its syncer must not run.
 */
export async function markClaims(
  api: Pick<HostApi, 'list' | 'patch'>,
  { at, place, signal }: { at: string; place: PlacedName; signal: AbortSignal },
): Promise<void> {
  const { name: plane, namespace } = place
  const path = collectionPath('persistentvolumeclaims', namespace)
  const { items } = await api.list(path, { labelSelector: syncedSelector(plane), signal })
  const mark = { metadata: { annotations: { [RESTORED_ANNOTATION]: at } } }
  await Promise.all(
    items.map(({ metadata: { name = '' } }) =>
      api.patch(objectPath('persistentvolumeclaims', { name, namespace }), mark, {
        type: 'merge',
        signal,
      }),
    ),
  )
}
