import type { PlaneSpec } from '../../../control-plane/spec/spec.ts'
import { objectPathOf } from '../../../manifests/manifest.ts'
import { PLANE_LABEL } from '../../../manifests/object-names.ts'
import type { PlaneFiles } from '../objects/plane-keys.ts'
import { allOf, collectionsOf, planeObjects } from '../objects/plane-objects.ts'
import type { HostApi } from '../host/host-api.ts'
import type { PlacedName } from '../context/object-names.ts'
import { appliedObjects } from '../namespace/inventory.ts'
import type { PlaneRecord } from '../record/plane-record.ts'
import type { ChangeContext } from '../objects/change-context.ts'

/** An object of a plane that nothing asks for any more. */
export interface SuperfluousObject {
  path: string
  kind: string
  name: string
}

export interface SuperfluousOptions {
  place: PlacedName
  /** As the plane is to be. */
  record: PlaneRecord
  previousSpec: PlaneSpec
  files: PlaneFiles
  signal: AbortSignal
}

/**
 * What a plane has and needs no more: what it had by its previous spec alone, and what the templates of an older vplane
 * made of it, or templates of its own that it has no more. Data, keys and the record are never among it.
 */
export async function superfluousObjects(
  api: Pick<HostApi, 'list'>,
  { files, place, previousSpec, record, signal }: SuperfluousOptions,
): Promise<SuperfluousObject[]> {
  const objects = allOf(planeObjects(place, record, files))
  const before = allOf(planeObjects(place, { ...record, spec: previousSpec }, files))
  const collections = [...(record.collections ?? []), ...collectionsOf([...objects, ...before])]
  const found = await appliedObjects(api, place, { collections, signal })
  const wanted = new Set(objects.map(objectPathOf))
  const superfluous = [
    ...before.map((object) => ({ path: objectPathOf(object), object })),
    ...found,
  ].filter(({ path }) => !wanted.has(path))
  return [
    ...new Map(
      superfluous.map(({ object: { kind, metadata }, path }) => [
        path,
        { path, kind, name: metadata.name ?? '' },
      ]),
    ).values(),
  ]
}

/** Removes what a plane needs no more, as far as it is still marked as its own. */
export async function removeSuperfluous(
  { files, host, journal, operation, place }: ChangeContext,
  previousSpec: PlaneSpec,
): Promise<void> {
  const { signal } = operation
  const { record } = journal
  const options = { place, record, previousSpec, files, signal }
  for (const { kind, name, path } of await superfluousObjects(host.api, options)) {
    const found = await host.api.get(path, { signal })
    if (found?.metadata.labels?.[PLANE_LABEL] === place.name) {
      await journal.step(`removing ${kind} "${name}"`)
      const { uid } = found.metadata
      await host.api.delete(path, { signal, ...(uid === undefined ? {} : { uid }) })
    }
  }
}
