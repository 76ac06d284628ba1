import { isLeaving } from '../../shared/kube/kube-object.ts'
import { KEEPER } from '../../control-plane/plane/plane.ts'
import { collectionPath } from '../../shared/kube/collections.ts'
import {
  componentSelector,
  type PlacedName,
} from '../../drivers/kubernetes/context/object-names.ts'
import type { KubeClient } from '../../kube/client/client.ts'
import type { KubeConnection } from '../../kube/connection.ts'
import { API_PORT } from '../../manifests/ports.ts'
import { VplaneError } from '../../shared/errors.ts'
import { textAt } from '../../shared/json-fields.ts'
import { urlHost } from '../../shared/network/url-host.ts'
import { fileIn, type PodFiles } from './pod-world.ts'

export interface ApiServersOptions {
  /** The name in their certificates. */
  serverName: string
  /** The certificates of the plane, and the keys of the keeper. */
  files: PodFiles
  signal: AbortSignal
}

/**
 * A connection to each kube-apiserver of a plane, from a pod of its namespace. The keeper has no client certificate:
 * like kube-apiserver towards aggregated APIs, it uses the front-proxy certificate and names its user in headers.
 *
 * @throws {VplaneError} `UNREACHABLE` when none runs.
 */
export async function apiServersInPods(
  host: Pick<KubeClient, 'list'>,
  { name, namespace }: PlacedName,
  { files, serverName, signal }: ApiServersOptions,
): Promise<KubeConnection[]> {
  const labelSelector = componentSelector(name, 'kube-apiserver')
  const { items } = await host.list(collectionPath('pods', namespace), { labelSelector, signal })
  const addresses = items
    .filter((pod) => !isLeaving(pod))
    .flatMap((pod) => textAt(pod, 'status', 'podIP') ?? [])
  if (addresses.length === 0) {
    throw new VplaneError('UNREACHABLE', `no kube-apiserver of "${name}" runs`)
  }
  const credential = keeperCredential(files)
  return addresses.map((address) => ({
    ...credential,
    serverName,
    server: `https://${urlHost(address)}:${API_PORT}`,
  }))
}

/** How the keeper authenticates to any kube-apiserver of a plane. */
export function keeperCredential(files: PodFiles): Omit<KubeConnection, 'server'> {
  return {
    certificateAuthority: fileIn(files, 'ca.crt'),
    certificate: fileIn(files, 'front-proxy-client.crt'),
    key: fileIn(files, 'front-proxy-client.key'),
    headers: { 'X-Remote-User': KEEPER.user, 'X-Remote-Group': [...KEEPER.groups] },
  }
}
