import { type PlacedName, recordName } from '../../drivers/kubernetes/context/object-names.ts'
import { isReadableRecord, storedRecordOf } from '../../drivers/kubernetes/record/record-store.ts'
import { toObjectKey } from '../../kube/cache/object-key.ts'
import { collectionPath } from '../../shared/kube/collections.ts'
import type { Changes, PlaneObjects } from './plane-objects.ts'
import { WATCHED } from './watched-objects.ts'

/**
 * How many changes of the objects of a plane were seen; undefined when it has objects that are not watched, such as those
 * outside of its namespace and those of its syncer.
 */
export function changesOf(
  objects: Pick<PlaneObjects, 'changesOf' | 'get'>,
  { name, namespace }: PlacedName,
): Changes | undefined {
  const plane = toObjectKey({ name, namespace })
  const secret = objects.get(plane, 'secrets', recordName(name))
  const stored = secret && storedRecordOf(secret)
  if (stored === undefined || !isReadableRecord(stored)) {
    return undefined
  }
  const { collections, spec } = stored.record
  const watched = WATCHED.map(({ resource }) => collectionPath(resource, namespace))
  const areWatched = collections?.every((path) => watched.includes(path)) === true
  return areWatched && spec.host?.sync === undefined ? objects.changesOf(plane) : undefined
}
