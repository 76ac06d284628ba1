import { METRICS_SERVICE } from '../control-plane/sync/prepare-sync.ts'
import type { PlaneSpec } from '../control-plane/spec/spec.ts'
import { objectName, type ObjectSuffix } from './object-names.ts'
import { memberHost, memberName } from './pod-layout.ts'

/** A plane in its host namespace. */
interface PlacedName {
  name: string
  namespace: string
}

/** etcd never has more members than these: their names are in the certificates from the start. */
const MOST_MEMBERS = 5

/**
 * The names that clients reach kube-apiserver by in a host namespace, for its certificate: those of the endpoint
 * Service, the host it is exposed under, and what the user adds. Loopback and the names inside of the plane are on
 * every certificate of kube-apiserver and not among them.
 *
 * @param addresses IP addresses of the Service, as far as they are known. @default none
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

/**
 * The names of etcd's members and of the Service in front of them, for their certificates: for every member there may
 * ever be, so that more members need no other certificates.
 */
export function etcdNames(place: PlacedName): string[] {
  const members = Array.from({ length: MOST_MEMBERS }, (_, ordinal) => [
    memberName(place.name, ordinal),
    memberHost(place, ordinal),
  ])
  return [...serviceNames(place, 'etcd'), ...members.flat()]
}

/**
 * The names of the Services that lead to a plane's syncers, for their certificate: on the host to their kubelet endpoint, in
 * the plane to their metrics API.
 */
export function syncerNames(place: PlacedName): string[] {
  const { name, namespace } = METRICS_SERVICE
  return [...serviceNames(place, 'syncer'), `${name}.${namespace}.svc`]
}

function serviceNames({ name, namespace }: PlacedName, suffix: ObjectSuffix): string[] {
  const service = objectName(name, suffix)
  return [service, `${service}.${namespace}`, `${service}.${namespace}.svc`]
}
