import { isAsleep, isNeverStarted } from '../../../control-plane/plane/recorded-plane.ts'
import { collectionPathOf, type Manifest } from '../../../manifests/manifest.ts'
import {
  namespaceKeeperManifests,
  planeManifests,
} from '../../../manifests/render/plane-manifests.ts'
import { objectName } from '../../../manifests/object-names.ts'
import type { ManifestInput } from '../../../manifests/templates/manifest-input.ts'
import type { PlacedName } from '../context/object-names.ts'
import type { PlaneRecord } from '../record/plane-record.ts'
import type { PlaneFiles } from './plane-keys.ts'

/** In the groups in which they are applied. */
export interface PlaneObjects {
  /** Applied first, so that the plane's address is known. */
  endpoint: Manifest[]
  /** What must exist before pods start. */
  needed: Manifest[]
  workloads: Manifest[]
}

/** In the order in which they are applied. */
export function allOf({ endpoint, needed, workloads }: PlaneObjects): Manifest[] {
  return [...endpoint, ...needed, ...workloads]
}

/** Returns the sorted paths of the collections that contain objects. */
export function collectionsOf(objects: readonly Manifest[]): string[] {
  return [...new Set(objects.map(collectionPathOf))].sort()
}

const WORKLOADS = ['StatefulSet', 'Deployment']

/** Describes the objects of a plane by its record. Pure except for reading templates. */
export function planeObjects(
  place: PlacedName,
  record: PlaneRecord,
  files: PlaneFiles,
): PlaneObjects {
  const objects = planeManifests(inputOf(place, record, files))
  const isEndpoint = ({ kind, metadata }: Manifest) =>
    kind === 'Service' && metadata.name === objectName(place.name, 'api')
  return Object.assign(
    { endpoint: [], needed: [], workloads: [] },
    Object.groupBy(objects, (object) => {
      if (isEndpoint(object)) {
        return 'endpoint'
      }
      return WORKLOADS.includes(object.kind) ? 'workloads' : 'needed'
    }),
  )
}

/** Describes the keeper of the namespace of a plane as this plane wants it; nothing if it needs none. */
export function keeperObjects(place: PlacedName, record: PlaneRecord): Manifest[] {
  return namespaceKeeperManifests(inputOf(place, record, {}))
}

function inputOf(place: PlacedName, record: PlaneRecord, files: PlaneFiles): ManifestInput {
  return {
    ...place,
    ...record,
    files,
    initialState: record.hasData ? 'existing' : 'new',
    desired: record.desired === 'running' ? 'running' : 'paused',
    neverStarted: isNeverStarted(record),
    isAsleep: isAsleep(record),
  }
}
