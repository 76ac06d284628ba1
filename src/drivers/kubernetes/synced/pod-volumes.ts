import type { PodVolume } from '../../../control-plane/driver/plane-pods.ts'
import { UID_ANNOTATION } from '../../../manifests/object-names.ts'
import { collectionPath } from '../../../shared/kube/collections.ts'
import type { HostApi } from '../host/host-api.ts'
import { type PlacedName, syncedSelector } from '../context/object-names.ts'
import { virtualNameOf } from './virtual-name.ts'

/** The volume claims of the pods that a plane runs, by name. */
export async function podVolumes(
  api: Pick<HostApi, 'list'>,
  { name, namespace }: PlacedName,
  signal: AbortSignal,
): Promise<PodVolume[]> {
  const path = collectionPath('persistentvolumeclaims', namespace)
  const { items } = await api.list(path, { labelSelector: syncedSelector(name), signal })
  return items
    .map((claim) => ({
      name: virtualNameOf(claim),
      uid: claim.metadata.annotations?.[UID_ANNOTATION] ?? '',
    }))
    .toSorted((left, right) => left.name.localeCompare(right.name))
}
