import type { PodVolume, ServiceAddress } from '../../../control-plane/driver/plane-pods.ts'
import { API_SERVICE } from '../../../control-plane/sync/api-service.ts'
import {
  NAME_ANNOTATION,
  NAMESPACE_ANNOTATION,
  UID_ANNOTATION,
} from '../../../manifests/object-names.ts'
import {
  OPTIONAL_KINDS,
  OPTIONAL_RESOURCES,
  type SyncSpec,
} from '../../../control-plane/spec/fields/host-spec.ts'
import { textAt } from '../../../shared/json-fields.ts'
import { collectionPath, objectPath } from '../../../shared/kube/collections.ts'
import type { KubeObject } from '../../../shared/kube/kube-object.ts'
import type { HostApi } from '../host/host-api.ts'
import { type PlacedName, syncedSelector } from '../context/object-names.ts'
import { readEndpoint } from '../host/endpoint-service.ts'
import { SYNCED } from '../namespace/inventory.ts'

/** Returns the addresses that Services of a plane have on its host, first the address of its API. */
export async function serviceAddresses(
  api: Pick<HostApi, 'get' | 'list'>,
  { name, namespace }: PlacedName,
  signal: AbortSignal,
): Promise<ServiceAddress[]> {
  const labelSelector = syncedSelector(name)
  const [endpoint, { items }] = await Promise.all([
    readEndpoint(api, { name, namespace }, signal),
    api.list(collectionPath('services', namespace), { labelSelector, signal }),
  ])
  const own =
    endpoint === undefined ? [] : [{ name: API_SERVICE, address: clusterAddressOf(endpoint) }]
  const others = items
    .map((service) => ({ name: virtualNameOf(service), address: clusterAddressOf(service) }))
    .toSorted((left, right) => left.name.localeCompare(right.name))
  return [...own, ...others].flatMap(({ address, name: service }) =>
    address === undefined ? [] : [{ name: service, address }],
  )
}

/** Returns the volume claims of the pods that a plane runs, sorted by name. */
export async function podVolumes(
  api: Pick<HostApi, 'list'>,
  { name, namespace }: PlacedName,
  signal: AbortSignal,
): Promise<PodVolume[]> {
  const path = collectionPath('persistentvolumeclaims', namespace)
  const { items } = await api.list(path, { labelSelector: syncedSelector(name), signal })
  return items
    .map((claim) => ({
      name: virtualNameOf(claim),
      uid: claim.metadata.annotations?.[UID_ANNOTATION] ?? '',
    }))
    .toSorted((left, right) => left.name.localeCompare(right.name))
}

/**
 * Returns the host objects of the kinds of a plane that are not synced any more. Without a syncer these are all but the
 * volume claims, whose data stays for later.
 */
export async function unsyncedObjects(
  api: Pick<HostApi, 'list'>,
  { place: { name, namespace }, sync }: { place: PlacedName; sync: SyncSpec | undefined },
  signal: AbortSignal,
): Promise<Array<{ path: string; object: KubeObject }>> {
  const resources =
    sync === undefined
      ? SYNCED.filter((resource) => resource !== 'persistentvolumeclaims')
      : OPTIONAL_KINDS.filter((kind) => sync.kinds?.[kind] === false).map(
          (kind) => OPTIONAL_RESOURCES[kind],
        )
  const lists = await Promise.all(
    resources.map(async (resource) => {
      const path = collectionPath(resource, namespace)
      const { items } = await api.list(path, { labelSelector: syncedSelector(name), signal })
      return items
        .filter(isMarked)
        .map((object) => ({ path: objectPath(resource, object.metadata), object }))
    }),
  )
  return lists.flat()
}

/** Excludes objects that someone else created with the label of synced ones. */
export function isMarked({ metadata }: KubeObject): boolean {
  return metadata.annotations?.[NAME_ANNOTATION] !== undefined
}

/** Undefined for a headless Service. */
export function clusterAddressOf(service: KubeObject): string | undefined {
  const address = textAt(service, 'spec', 'clusterIP')
  return address === 'None' ? undefined : address
}

/** Returns the name in the plane of a host object: `default/data-db-0`. */
function virtualNameOf({ metadata }: KubeObject): string {
  const { annotations = {}, name = '' } = metadata
  return [annotations[NAMESPACE_ANNOTATION], annotations[NAME_ANNOTATION] ?? name]
    .filter((part) => part !== undefined)
    .join('/')
}
