import { isLeaving } from '../../../shared/kube/kube-object.ts'
import { objectName } from '../../../manifests/object-names.ts'
import type { PlacedName } from '../context/object-names.ts'
import { type FoundObject, recordPath } from '../namespace/inventory.ts'

/** Workloads are deleted before pods, so that no new pods appear; pods follow, because they take the longest. */
const FIRST = [['Deployment', 'StatefulSet'], ['ReplicaSet'], ['Pod']]
/** What the host deletes itself with the object that it derived it from. */
const FOLLOWING = ['Endpoints', 'EndpointSlice']

/**
 * Returns the objects of a plane to delete now, in steps: workloads, pods, then the others. The endpoint follows when
 * nothing else exists, and the record is last, so that the plane is found until then. Omits objects that are being
 * deleted.
 */
export function removalSteps(place: PlacedName, found: readonly FoundObject[]): FoundObject[][] {
  const own = found.filter(({ isOwn }) => isOwn)
  const record = own.filter(({ path }) => path === recordPath(place))
  const endpoint = own.filter((one) => isEndpoint(one, place) || isBehindEndpoint(one, place))
  const parts = own.filter((one) => !record.includes(one) && !endpoint.includes(one))
  if (parts.length > 0) {
    const first = FIRST.map((kinds) => parts.filter(({ object }) => kinds.includes(object.kind)))
    return [...first, parts.filter((one) => !first.flat().includes(one))].map(deletable)
  }
  return [deletable(endpoint.length > 0 ? endpoint : record)]
}

function isEndpoint({ object, path }: FoundObject, { name }: PlacedName): boolean {
  return path.includes('/services/') && object.metadata.name === objectName(name, 'api')
}

function isBehindEndpoint({ object }: FoundObject, { name }: PlacedName): boolean {
  const endpoint = objectName(name, 'api')
  const { kind, metadata } = object
  return (
    (kind === 'Endpoints' && metadata.name === endpoint) ||
    (kind === 'EndpointSlice' && metadata.labels?.['kubernetes.io/service-name'] === endpoint)
  )
}

function deletable(objects: readonly FoundObject[]): FoundObject[] {
  return objects.filter((one) => !isLeaving(one.object) && !FOLLOWING.includes(one.object.kind))
}
