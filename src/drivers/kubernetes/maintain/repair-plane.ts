import { componentsOf } from '../../../control-plane/plane/plane.ts'
import { collectionPathOf, type Manifest } from '../../../manifests/manifest.ts'
import { unlessStatus } from '../../../kube/kube-error.ts'
import { renewLeaves } from '../../../pki/plane/certificate-expiry.ts'
import { applyObjects } from '../host/apply-objects.ts'
import { certificateFields, storedKeys } from '../objects/stored-keys.ts'
import { ownedByNamespace } from '../host/owned-by-namespace.ts'
import { keeperObjects, planeObjects } from '../objects/plane-objects.ts'
import type { HostApi } from '../host/host-api.ts'
import { type HoldPlaneOptions, holdToMaintain } from '../record/hold-plane.ts'
import type { Journal } from '../record/journal.ts'
import { type PlacedName, planeSelector } from '../context/object-names.ts'
import { isKeeperSettings } from '../../../manifests/keeper-settings.ts'
import { COMPONENT_LABEL } from '../../../manifests/object-names.ts'
import { isKept } from '../keeper/is-kept.ts'
import { raiseKeeper } from '../keeper/raise-keeper.ts'
import { retireOwnKeeper } from '../workloads/retire-own-keeper.ts'
import { retryRefused } from '../workloads/retry-refused.ts'
import { scaleWorkload } from '../workloads/scale-workload.ts'

export interface RepairOptions {
  place: PlacedName
  now: () => Date
  /** Files with other contents than those that are stored. @default none */
  changed?: Record<string, string> | undefined
  signal: AbortSignal
}

/**
 * Creates missing objects of a plane, scales its workloads up, and renews certificates in their last 90 days. Does not
 * change existing objects, except those for a keeper of a former vplane. The caller holds the plane.
 */
export async function repairPlane(
  api: HostApi,
  journal: Journal,
  { changed, now, place, signal }: RepairOptions,
): Promise<void> {
  const keys = await storedKeys(api, place, signal)
  const renewed = { ...renewLeaves(keys, { now: now() }), ...changed }
  const files = { ...keys, ...renewed }
  const { endpoint, needed, workloads } = planeObjects(place, journal.record, files)
  const objects = [...endpoint, ...needed, ...workloads]
  const isPresent = await findPresent(api, objects, { place, signal })
  const isNewlyKept = objects.some((object) => isKeeperSettings(object) && !isPresent(object))
  const isDue = (object: Manifest) =>
    !isPresent(object) ||
    (isNewlyKept && isForKeeper(object)) ||
    (object.kind === 'Secret' && Object.keys(renewed).length > 0)
  await journal.step('putting back what is missing', certificateFields(files))
  await retireOwnKeeper(api, place, signal)
  await applyObjects(api, endpoint.filter(isDue), signal)
  const due = await ownedByNamespace(api, needed.filter(isDue), { ...place, signal })
  await applyObjects(api, due, signal)
  await journal.step('starting the components')
  await applyObjects(api, workloads.filter(isDue), signal)
  const { record } = journal
  await Promise.all(
    componentsOf(record.spec).map((component) =>
      scaleWorkload(api, record, { place, component, signal }),
    ),
  )
  if (isKept(record)) {
    const raised = { objects: () => keeperObjects(place, record), signal }
    await raiseKeeper(api, place.namespace, raised)
  }
  await retryRefused(api, place, signal)
}

/** Also what admits it to etcd. */
function isForKeeper({ kind, metadata }: Manifest): boolean {
  return metadata.labels[COMPONENT_LABEL] === 'keeper' || kind === 'NetworkPolicy'
}

/** Repairs a running plane, unless another operation runs or was interrupted. */
export async function renewPlane(
  api: HostApi,
  options: Omit<HoldPlaneOptions, 'operation'>,
  signal: AbortSignal,
): Promise<void> {
  await using held = await holdToMaintain(api, options, signal)
  if (held?.journal.record.desired === 'running') {
    await repairPlane(api, held.journal, { ...options, signal })
    await held.journal.finish()
  }
}

async function findPresent(
  api: HostApi,
  objects: readonly Manifest[],
  { place, signal }: Pick<RepairOptions, 'place' | 'signal'>,
): Promise<(object: Manifest) => boolean> {
  const collections = [...new Set(objects.map(collectionPathOf))]
  const labelSelector = planeSelector(place.name)
  const present = await Promise.all(
    collections.map(async (path) => {
      // A custom resource may not exist any more. A user who may not list cluster-wide objects cannot create them.
      const tolerated = path.includes('/namespaces/') ? [404] : [403, 404]
      const list = await unlessStatus(tolerated, api.list(path, { labelSelector, signal }))
      return [path, list?.items.map(({ metadata }) => metadata.name)] as const
    }),
  )
  const names = new Map(present)
  return (object) => names.get(collectionPathOf(object))?.includes(object.metadata.name) ?? true
}
