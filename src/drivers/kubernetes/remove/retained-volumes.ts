import type { Leftover } from '../../../control-plane/driver/driver.ts'
import { fieldAt, textAt } from '../../../shared/json-fields.ts'
import { collectionPath, objectPath } from '../../../shared/kube/collections.ts'
import type { HostApi } from '../host/host-api.ts'
import { type PlacedName, planeSelector, syncedSelector } from '../context/object-names.ts'
import { unlessRefused } from '../host/unless-refused.ts'
import { titleOf } from '../namespace/leftovers.ts'

/** Returns the names of the PersistentVolumes of a plane and of its pods. */
export async function volumesOf(
  api: Pick<HostApi, 'list'>,
  { name, namespace }: PlacedName,
  signal: AbortSignal,
): Promise<string[]> {
  const path = collectionPath('persistentvolumeclaims', namespace)
  const lists = await Promise.all(
    [planeSelector(name), syncedSelector(name)].map((labelSelector) =>
      api.list(path, { labelSelector, signal }),
    ),
  )
  return lists
    .flatMap(({ items }) => items)
    .flatMap((claim) => textAt(claim, 'spec', 'volumeName') ?? [])
}

/**
 * Returns the volumes that outlive their claims because of their reclaim policy; none when the user may not read
 * volumes.
 */
export async function retainedVolumes(
  api: Pick<HostApi, 'get'>,
  names: readonly string[],
  signal: AbortSignal,
): Promise<Leftover[]> {
  const volumes = await Promise.all(
    names.map((name) =>
      unlessRefused(api.get(objectPath('persistentvolumes', { name }), { signal })),
    ),
  )
  return volumes
    .filter((volume) => volume !== undefined)
    .filter((volume) => fieldAt(volume, 'spec', 'persistentVolumeReclaimPolicy') === 'Retain')
    .map((volume) => ({
      what: titleOf(volume),
      why: 'its reclaim policy is Retain, so it still holds the data',
      isKept: true,
    }))
}
