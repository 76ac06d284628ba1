import type { PlaneSpec } from '../../../control-plane/spec/spec.ts'
import { objectPathOf } from '../../../manifests/manifest.ts'
import { PLANE_LABEL, SYNCED_BY_LABEL } from '../../../manifests/object-names.ts'
import type { PlaneFiles } from '../objects/plane-keys.ts'
import { allOf, collectionsOf, planeObjects } from '../objects/plane-objects.ts'
import type { HostApi } from '../host/host-api.ts'
import type { PlacedName } from '../context/object-names.ts'
import { appliedObjects } from '../namespace/inventory.ts'
import type { PlaneRecord } from '../record/plane-record.ts'
import { unsyncedObjects } from '../synced/synced-objects.ts'
import type { ChangeContext } from '../objects/change-context.ts'

export interface SuperfluousOptions {
  place: PlacedName
  /** The record after the change. */
  record: PlaneRecord
  previousSpec: PlaneSpec
  files: PlaneFiles
  signal: AbortSignal
}

/**
 * Returns the objects that a plane does not need any more: objects of its previous spec, of the templates of an older
 * vplane, of its former templates, and of kinds that are not synced any more. Never returns data, keys or the record.
 */
export async function superfluousObjects(
  api: Pick<HostApi, 'list'>,
  { files, place, previousSpec, record, signal }: SuperfluousOptions,
): Promise<Array<{ path: string; kind: string; name: string }>> {
  const objects = allOf(planeObjects(place, record, files))
  const before = allOf(planeObjects(place, { ...record, spec: previousSpec }, files))
  const collections = [...(record.collections ?? []), ...collectionsOf([...objects, ...before])]
  const found = [
    ...(await appliedObjects(api, place, { collections, signal })),
    ...(await unsyncedObjects(api, { place, sync: record.spec.host?.sync }, signal)),
  ]
  const wanted = new Set(objects.map(objectPathOf))
  const superfluous = [
    ...before.map((object) => ({ path: objectPathOf(object), object })),
    ...found,
  ].filter(({ path }) => !wanted.has(path))
  const byPath = new Map(
    superfluous.map(({ object: { kind, metadata }, path }) => [
      path,
      { path, kind, name: metadata.name ?? '' },
    ]),
  )
  return [...byPath.values()]
}

/** Deletes the objects that a plane does not need any more, if they still have its label. */
export async function removeSuperfluous(
  { files, host, journal, operation, place }: ChangeContext,
  previousSpec: PlaneSpec,
): Promise<void> {
  const { signal } = operation
  const { record } = journal
  const options = { place, record, previousSpec, files, signal }
  for (const { kind, name, path } of await superfluousObjects(host.api, options)) {
    const found = await host.api.get(path, { signal })
    const { labels = {} } = found?.metadata ?? {}
    if (
      found !== undefined &&
      [labels[PLANE_LABEL], labels[SYNCED_BY_LABEL]].includes(place.name)
    ) {
      await journal.step(`removing ${kind} "${name}"`)
      await host.api.delete(path, { signal, uid: found.metadata.uid })
    }
  }
}
