import type { PlaneSpec } from '../../../control-plane/spec.ts'
import { type HostObject as Manifest, objectPathOf } from '../../../manifests/host-object.ts'
import { PLANE_LABEL } from '../../../manifests/object-names.ts'
import type { PlaneFiles } from '../create/plane-keys.ts'
import { allOf, planeObjects } from '../create/plane-objects.ts'
import type { PlacedName } from '../object-names.ts'
import type { PlaneRecord } from '../store/plane-record.ts'
import type { ChangeContext } from './change-context.ts'

/** The objects that a plane had by its previous spec, and has no more by its present one. */
export function superfluousObjects(
  place: PlacedName,
  {
    files,
    previousSpec,
    record,
  }: { record: PlaneRecord; previousSpec: PlaneSpec; files: PlaneFiles },
): Manifest[] {
  const wanted = new Set(allOf(planeObjects(place, record, files)).map(objectPathOf))
  const before = allOf(planeObjects(place, { ...record, spec: previousSpec }, files))
  return before.filter((object) => !wanted.has(objectPathOf(object)))
}

/** Removes what a plane had by its previous spec alone, as far as it is still marked as its own. */
export async function removeSuperfluous(
  { files, host, journal, operation, place }: ChangeContext,
  previousSpec: PlaneSpec,
): Promise<void> {
  const { signal } = operation
  const { record } = journal
  for (const object of superfluousObjects(place, { files, previousSpec, record })) {
    const path = objectPathOf(object)
    const found = await host.api.get(path, { signal })
    if (found?.metadata.labels?.[PLANE_LABEL] === place.name) {
      await journal.step(`removing ${object.kind} "${object.metadata.name}"`)
      const { uid } = found.metadata
      await host.api.delete(path, { signal, ...(uid === undefined ? {} : { uid }) })
    }
  }
}
