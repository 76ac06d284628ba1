import { RESTORED_ANNOTATION } from '../../../manifests/object-names.ts'
import { collectionPath, objectPath } from '../../../shared/kube/collections.ts'
import { type PlacedName, syncedSelector } from '../context/object-names.ts'
import type { HostApi } from '../host/host-api.ts'

/**
 * Marks the host claims of pods as older than the restored data: a claim that the restored plane does not know was
 * created after the snapshot, and no user has deleted it. Requires that the syncer does not run.
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
