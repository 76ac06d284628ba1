import { ETCD_CLIENT_FILES, type EtcdConnection } from '../../../etcd/etcd-connection.ts'
import type { Host } from '../context/context.ts'
import { type PlaneFiles, readKeys } from '../objects/plane-keys.ts'
import { ETCD_PORTS } from '../../../manifests/ports.ts'
import type { PlacedName } from '../context/object-names.ts'
import { readyPod } from '../observed/ready-pod.ts'

/**
 * The way to etcd of a plane in a host namespace: a port of one of its pods, through the host's API server.
 *
 * @param place.instance the pod that is meant. @default one that is ready
 * @throws {VplaneError} `FAILED` when there is none.
 */
export async function hostedEtcd(
  { api, forward }: Pick<Host, 'api' | 'forward'>,
  { instance, ...place }: PlacedName & { instance?: string | undefined },
  signal: AbortSignal,
): Promise<EtcdConnection> {
  const { name, namespace } = place
  const [pod, files] = await Promise.all([
    readyPod(api, { ...place, component: 'etcd', instance }, signal),
    readKeys(api, place, signal),
  ])
  return etcdInPod({ forward }, { what: `etcd of "${name}"`, namespace, pod, files })
}

export interface EtcdPod {
  /** As it reads in errors: `etcd of "dev"`. */
  what: string
  namespace: string
  pod: string
  /** The plane's keys and certificates. */
  files: PlaneFiles
}

/** The way to the member of etcd in a pod, through the host's API server. */
export function etcdInPod(
  { forward }: Pick<Host, 'forward'>,
  { files, namespace, pod, what }: EtcdPod,
): EtcdConnection {
  return {
    what,
    dial: (signal, speech) => forward({ namespace, pod, port: ETCD_PORTS[speech] }, { signal }),
    certificateAuthority: files[ETCD_CLIENT_FILES.certificateAuthority] ?? '',
    certificate: files[ETCD_CLIENT_FILES.certificate] ?? '',
    key: files[ETCD_CLIENT_FILES.key] ?? '',
  }
}
