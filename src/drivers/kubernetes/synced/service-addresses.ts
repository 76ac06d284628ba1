import type { ServiceAddress } from '../../../control-plane/driver/plane-pods.ts'
import { objectName } from '../../../manifests/object-names.ts'
import { collectionPath, objectPath } from '../../../shared/kube/collections.ts'
import type { HostApi } from '../host/host-api.ts'
import { type PlacedName, syncedSelector } from '../context/object-names.ts'
import { clusterAddressOf } from './cluster-address.ts'
import { virtualNameOf } from './virtual-name.ts'

/** The name in every plane of the Service of its own API, which on the host is the plane's endpoint. */
const API = 'default/kubernetes'

/** The addresses that Services of a plane have on its host, the one of its API first. */
export async function serviceAddresses(
  api: Pick<HostApi, 'get' | 'list'>,
  place: PlacedName,
  signal: AbortSignal,
): Promise<ServiceAddress[]> {
  const { name, namespace } = place
  const labelSelector = syncedSelector(name)
  const [endpoint, { items }] = await Promise.all([
    api.get(objectPath('services', { name: objectName(name, 'api'), namespace }), { signal }),
    api.list(collectionPath('services', namespace), { labelSelector, signal }),
  ])
  const own = endpoint === undefined ? [] : [{ name: API, address: clusterAddressOf(endpoint) }]
  const others = items
    .map((service) => ({ name: virtualNameOf(service), address: clusterAddressOf(service) }))
    .toSorted((left, right) => left.name.localeCompare(right.name))
  return [...own, ...others].flatMap(({ address, name: service }) =>
    address === undefined ? [] : [{ name: service, address }],
  )
}
