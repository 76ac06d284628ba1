import { isLeaving } from '../../../shared/kube/kube-object.ts'
import { objectName } from '../../../manifests/object-names.ts'
import type { PlacedName } from '../context/object-names.ts'
import { type FoundObject, recordPath } from '../namespace/inventory.ts'

/** What makes pods goes first, so that nobody makes new ones; pods go next, as they take longest. */
const FIRST = [['Deployment', 'StatefulSet'], ['ReplicaSet'], ['Pod']]
/** What the host removes by itself once the object that it was made for is gone. */
const FOLLOWING = ['Endpoints', 'EndpointSlice']

/**
 * Which of a plane's objects may go now, one step after the other: what makes pods, pods, then all the rest but for
 * the endpoint, which goes when nothing else is left, and the record, which goes last: the plane is found as long as
 * anything of it is there. What is ending already is not among them.
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
