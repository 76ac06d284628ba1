import { componentsOf } from '../../../control-plane/plane/plane.ts'
import { collectionPathOf, type Manifest } from '../../../manifests/manifest.ts'
import { httpStatusOf } from '../../../kube/kube-error.ts'
import { renewLeaves } from '../../../pki/plane/certificate-expiry.ts'
import { applyObjects } from '../host/apply-objects.ts'
import { certificateFields, storedKeys } from '../objects/stored-keys.ts'
import { ownedByNamespace } from '../host/owned-by-namespace.ts'
import { planeObjects } from '../objects/plane-objects.ts'
import type { HostApi } from '../host/host-api.ts'
import type { Journal } from '../record/journal.ts'
import { type PlacedName, planeSelector } from '../context/object-names.ts'
import { unlessRefused } from '../host/unless-refused.ts'
import { retryRefused } from '../workloads/retry-refused.ts'
import { scaleWorkload } from '../workloads/scale-workload.ts'

export interface RepairOptions {
  place: PlacedName
  now: () => Date
  signal: AbortSignal
}

/**
 * Puts back what is missing of a plane, gives its workloads their pods, and renews certificates in their last 90 days.
 * What is there stays as it is. Whoever calls holds the plane.
 *
 * @throws {VplaneError} as `makePlane` does.
 */
export async function repairPlane(
  api: HostApi,
  journal: Journal,
  { now, place, signal }: RepairOptions,
): Promise<void> {
  const kept = await storedKeys(api, place, signal)
  const renewed = renewLeaves(kept, { now: now() })
  const files = { ...kept, ...renewed }
  const { endpoint, needed, workloads } = planeObjects(place, journal.record, files)
  const isThere = await presentObjects(api, [...endpoint, ...needed, ...workloads], {
    place,
    signal,
  })
  const isDue = (object: Manifest) =>
    !isThere(object) || (object.kind === 'Secret' && Object.keys(renewed).length > 0)
  await journal.step('putting back what is missing', certificateFields(files))
  await applyObjects(api, endpoint.filter(isDue), signal)
  const due = await ownedByNamespace(api, needed.filter(isDue), { ...place, signal })
  await applyObjects(api, due, signal)
  await journal.step('starting the components')
  await applyObjects(api, workloads.filter(isDue), signal)
  await scaleUp(api, journal, { place, now, signal })
  await retryRefused(api, place, signal)
}

/** Tells which of a plane's objects are there. */
async function presentObjects(
  api: HostApi,
  objects: readonly Manifest[],
  { place, signal }: Pick<RepairOptions, 'place' | 'signal'>,
): Promise<(object: Manifest) => boolean> {
  const collections = [...new Set(objects.map(collectionPathOf))]
  const labelSelector = planeSelector(place.name)
  const present = await Promise.all(
    collections.map(async (path) => {
      const listing = api.list(path, { labelSelector, signal })
      const items = path.includes('/namespaces/')
        ? (await unlessUnknown(listing))?.items
        : (await unlessRefused(listing))?.items
      // Who may not look at all of the host cluster could not put anything back there.
      return [path, items?.map(({ metadata }) => metadata.name)] as const
    }),
  )
  const names = new Map(present)
  return (object) => names.get(collectionPathOf(object))?.includes(object.metadata.name) ?? true
}

/** What was listed; undefined when the host has that kind no more, such as one that somebody else brought. */
async function unlessUnknown<T>(listing: Promise<T>): Promise<T | undefined> {
  try {
    return await listing
  } catch (error) {
    if (httpStatusOf(error) === 404) {
      return undefined
    }
    throw error
  }
}

async function scaleUp(
  api: HostApi,
  { record }: Journal,
  { place, signal }: RepairOptions,
): Promise<void> {
  await Promise.all(
    componentsOf(record.spec).map((component) =>
      scaleWorkload(api, record, { place, component, signal }),
    ),
  )
}
