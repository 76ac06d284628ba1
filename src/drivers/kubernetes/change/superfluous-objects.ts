import type { PlaneSpec } from '../../../control-plane/spec/spec.ts'
import { objectPathOf } from '../../../manifests/manifest.ts'
import { objectName, PLANE_LABEL, SYNCED_BY_LABEL } from '../../../manifests/object-names.ts'
import { objectPath } from '../../../shared/kube/collections.ts'
import type { PlaneFiles } from '../objects/plane-keys.ts'
import { allOf, collectionsOf, planeObjects } from '../objects/plane-objects.ts'
import type { HostApi } from '../host/host-api.ts'
import { isKeptByOperator } from '../keeper/is-kept.ts'
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

export interface SuperfluousObject {
  path: string
  kind: string
  name: string
  /** Its syncer created it for an object of the plane. */
  isSynced: boolean
}

/**
 * Returns the objects that a plane does not need any more: objects of its previous spec, of the templates of an older
 * vplane, of its former templates, and of kinds that are not synced any more. Never returns data, keys or the record.
 */
export async function superfluousObjects(
  api: Pick<HostApi, 'list'>,
  { files, place, previousSpec, record, signal }: SuperfluousOptions,
): Promise<SuperfluousObject[]> {
  const objects = allOf(planeObjects(place, record, files))
  const before = allOf(planeObjects(place, { ...record, spec: previousSpec }, files))
  const collections = [...(record.collections ?? []), ...collectionsOf([...objects, ...before])]
  const { sync } = record.spec.host ?? {}
  const hasSynced = sync !== undefined || previousSpec.host?.sync !== undefined
  const found = [
    ...(await appliedObjects(api, place, { collections, signal })),
    ...(hasSynced ? await unsyncedObjects(api, { place, sync }, signal) : []),
  ]
  // No template has what an operator reports about the plane.
  const reported = { ...place, name: objectName(place.name, 'keeper-status') }
  const wanted = new Set([
    ...objects.map(objectPathOf),
    ...(isKeptByOperator(record) ? [objectPath('configmaps', reported)] : []),
  ])
  const superfluous = [
    ...before.map((object) => ({ path: objectPathOf(object), object })),
    ...found,
  ].filter(({ path }) => !wanted.has(path))
  const byPath = new Map(
    superfluous.map(({ object: { kind, metadata }, path }) => [
      path,
      {
        path,
        kind,
        name: metadata.name ?? '',
        isSynced: metadata.labels?.[SYNCED_BY_LABEL] !== undefined,
      },
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
  const remove = async (
    { path }: SuperfluousObject,
    { label, note = async () => {} }: { label: string; note?: () => Promise<void> },
  ) => {
    const { labels = {}, uid } = (await host.api.get(path, { signal }))?.metadata ?? {}
    if (labels[label] === place.name) {
      await note()
      await host.api.delete(path, { signal, uid })
    }
  }
  const all = await superfluousObjects(host.api, options)
  for (const object of all.filter(({ isSynced }) => !isSynced)) {
    const note = () => journal.step(`removing ${object.kind} "${object.name}"`)
    await remove(object, { label: PLANE_LABEL, note })
  }
  const synced = all.filter(({ isSynced }) => isSynced)
  if (synced.length > 0) {
    await journal.step('removing what its syncer made')
    await Promise.all(synced.map((object) => remove(object, { label: SYNCED_BY_LABEL })))
  }
}
