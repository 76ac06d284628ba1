import { isLeaving } from '../../shared/kube/kube-object.ts'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
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

export interface ApiServersOptions {
  /** The name in their certificates. */
  serverName: string
  /** The folder of the certificates. It is read each time, since certificates are renewed. */
  pkiFolder: string
  signal: AbortSignal
}

/**
 * A connection to each kube-apiserver of a plane, from a pod of the same plane. The keeper has no client certificate:
 * like kube-apiserver towards aggregated APIs, it uses the front-proxy certificate and names its user in headers.
 *
 * @throws {VplaneError} `UNREACHABLE` when none runs.
 */
export async function apiServersInPods(
  host: Pick<KubeClient, 'list'>,
  { name, namespace }: PlacedName,
  { pkiFolder, serverName, signal }: ApiServersOptions,
): Promise<KubeConnection[]> {
  const labelSelector = componentSelector(name, 'kube-apiserver')
  const { items } = await host.list(collectionPath('pods', namespace), { labelSelector, signal })
  const addresses = items
    .filter((pod) => !isLeaving(pod))
    .flatMap((pod) => textAt(pod, 'status', 'podIP') ?? [])
  if (addresses.length === 0) {
    throw new VplaneError('UNREACHABLE', `no kube-apiserver of "${name}" runs`)
  }
  const credential = await keeperCredential(pkiFolder)
  return addresses.map((address) => ({
    ...credential,
    serverName,
    server: `https://${urlHost(address)}:${API_PORT}`,
  }))
}

/** How the keeper authenticates to any kube-apiserver of its plane. The folder is that of the plane's certificates. */
export async function keeperCredential(pkiFolder: string): Promise<Omit<KubeConnection, 'server'>> {
  const pem = (file: string) => readFile(join(pkiFolder, file), 'utf8')
  return {
    certificateAuthority: await pem('ca.crt'),
    certificate: await pem('front-proxy-client.crt'),
    key: await pem('front-proxy-client.key'),
    headers: { 'X-Remote-User': KEEPER.user, 'X-Remote-Group': [...KEEPER.groups] },
  }
}
