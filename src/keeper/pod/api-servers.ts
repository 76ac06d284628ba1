import { answersReady } from '../../control-plane/api/answers-ready.ts'
import { createKubeClient } from '../../kube/client/client.ts'
import { isLeaving, type KubeObject } from '../../shared/kube/kube-object.ts'
import { KEEPER } from '../../control-plane/plane/plane.ts'
import { collectionPath } from '../../shared/kube/collections.ts'
import {
  componentSelector,
  type PlacedName,
} from '../../drivers/kubernetes/context/object-names.ts'
import type { KubeClient } from '../../kube/client/client.ts'
import type { KubeConnection } from '../../kube/connection.ts'
import { objectName } from '../../manifests/object-names.ts'
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
  place: PlacedName,
  { files, serverName, signal }: ApiServersOptions,
): Promise<KubeConnection[]> {
  const servers = (await apiServerPods(host, place, signal)).flatMap(serverOf)
  if (servers.length === 0) {
    throw new VplaneError('UNREACHABLE', `no kube-apiserver of "${place.name}" runs`)
  }
  const credential = keeperCredential(files)
  return servers.map((server) => ({ ...credential, serverName, server }))
}

/** Whether a kube-apiserver of a plane responds that it is ready, as `answersReady` says, not counting one that ends. */
export async function isApiReady(
  host: Pick<KubeClient, 'list'>,
  place: PlacedName,
  { files, isRestart, serverName, signal }: ApiServersOptions & { isRestart: boolean },
): Promise<boolean> {
  const certificateAuthority = fileIn(files, 'ca.crt')
  const servers = (await apiServerPods(host, place, signal)).flatMap(serverOf)
  const ready = await Promise.all(
    servers.map((server) =>
      answersReady(
        async () => createKubeClient({ server, serverName, certificateAuthority }),
        signal,
        { isRestart },
      ),
    ),
  )
  return ready.includes(true)
}

/** Lists the pods of the kube-apiservers of a plane, without those that end. */
export async function apiServerPods(
  host: Pick<KubeClient, 'list'>,
  { name, namespace }: PlacedName,
  signal: AbortSignal,
): Promise<KubeObject[]> {
  const labelSelector = componentSelector(name, 'kube-apiserver')
  const { items } = await host.list(collectionPath('pods', namespace), { labelSelector, signal })
  return items.filter((pod) => !isLeaving(pod))
}

/** The name of a plane's kube-apiserver in its certificate. */
export function serverNameOf({ name, namespace }: PlacedName): string {
  return `${objectName(name, 'kube-apiserver')}.${namespace}.svc`
}

function serverOf(pod: KubeObject): string[] {
  const address = textAt(pod, 'status', 'podIP')
  return address === undefined ? [] : [`https://${urlHost(address)}:${API_PORT}`]
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
