import { METRICS_SERVICE } from '../control-plane/sync/prepare-sync.ts'
import type { PlaneSpec } from '../control-plane/spec/spec.ts'
import { storeOf } from '../control-plane/store/store.ts'
import { objectName, type ObjectSuffix } from './object-names.ts'
import { memberHost, memberName } from './pod-layout.ts'

interface PlacedName {
  name: string
  namespace: string
}

/** The maximum number of etcd members: the certificates have all their names from the start. */
const MOST_MEMBERS = 5

/**
 * The names of kube-apiserver for its certificate: those of its Services, their known IP `addresses`, the host under
 * which it is exposed, and those that the user adds. Every certificate of kube-apiserver also has loopback and the
 * names inside of the plane.
 */
export function endpointNames(
  place: PlacedName,
  { extraSans, host }: Pick<PlaneSpec, 'extraSans' | 'host'>,
  addresses: readonly string[] = [],
): string[] {
  const exposed = host?.expose.host
  return [
    ...new Set([
      ...serviceNames(place, 'api'),
      ...serviceNames(place, 'kube-apiserver'),
      ...addresses,
      ...(exposed === undefined ? [] : [exposed]),
      ...extraSans,
    ]),
  ]
}

/** The names of the store of a plane for its certificate; of etcd, see `etcdNames`. */
export function storeNames(place: PlacedName, spec: Pick<PlaneSpec, 'store'>): string[] {
  const { component } = storeOf(spec)
  return component === 'etcd' ? etcdNames(place) : serviceNames(place, component)
}

/** The names of etcd's Service and possible members: adding one requires no new certificates. */
function etcdNames(place: PlacedName): string[] {
  const members = Array.from({ length: MOST_MEMBERS }, (_, ordinal) => [
    memberName(place.name, ordinal),
    memberHost(place, ordinal),
  ])
  return [...serviceNames(place, 'etcd'), ...members.flat()]
}

/** The names of a syncer's Services: its kubelet endpoint on the host, its metrics API in the plane. */
export function syncerNames(place: PlacedName): string[] {
  const { name, namespace } = METRICS_SERVICE
  return [...serviceNames(place, 'syncer'), `${name}.${namespace}.svc`]
}

function serviceNames({ name, namespace }: PlacedName, suffix: ObjectSuffix): string[] {
  const service = objectName(name, suffix)
  return [service, `${service}.${namespace}`, `${service}.${namespace}.svc`]
}
