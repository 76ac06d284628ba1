import { ETCD_CLIENT_FILES, type EtcdConnection } from '../../../etcd/etcd-connection.ts'
import type { Host } from '../context/context.ts'
import { type PlaneFiles, readKeys } from '../objects/plane-keys.ts'
import { ETCD_PORTS } from '../../../manifests/ports.ts'
import type { PlacedName } from '../context/object-names.ts'
import { readyPod } from '../observed/ready-pod.ts'
import { type EtcdCluster, etcdCluster } from '../../../etcd/members/etcd-cluster.ts'
import { memberName, peerUrlOf } from '../../../manifests/pod-layout.ts'
import { replicasOf } from '../observed/workloads.ts'
import type { ChangeContext } from '../objects/change-context.ts'

/**
 * Returns a connection to etcd, or kine, of a plane in a host namespace, through a port-forward to one of its pods.
 * @param place.component which of them the plane has. @default etcd
 * @param place.instance the name of the pod. @default a ready pod
 * @throws {VplaneError} `FAILED` when there is no such pod.
 */
export async function hostedEtcd(
  { api, forward }: Pick<Host, 'api' | 'forward'>,
  { component = 'etcd', instance, ...place }: StorePlace,
  signal: AbortSignal,
): Promise<EtcdConnection> {
  const { name, namespace } = place
  const [pod, files] = await Promise.all([
    readyPod(api, { ...place, component, instance }, signal),
    readKeys(api, place, signal),
  ])
  const what = `${component} of "${name}"`
  return {
    ...etcdInPod({ forward }, { what, namespace, pod, files }),
    ...(component === 'kine' ? { hasGateway: false, hasLeases: false } : {}),
  }
}

export interface StorePlace extends PlacedName {
  component?: 'etcd' | 'kine'
  instance?: string | undefined
}

export interface EtcdPod {
  /** Its name in errors: `etcd of "dev"`. */
  what: string
  namespace: string
  pod: string
  files: PlaneFiles
}

/** Returns a connection to the member of etcd in a pod, through the host's API server. */
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

interface HostedClusterOptions {
  files: PlaneFiles
  /** Returns how many members etcd has now, including a member that is being added. */
  count: () => number
}

/** Connects to the members of a plane's etcd through port-forwards to their pods. */
export function hostedCluster(
  host: Pick<Host, 'forward'>,
  place: PlacedName,
  { count, files }: HostedClusterOptions,
): EtcdCluster {
  const { name, namespace } = place
  return etcdCluster({
    what: `etcd of "${name}"`,
    at: (ordinal) => {
      const pod = memberName(name, ordinal)
      return etcdInPod(host, { what: `etcd in "${pod}"`, namespace, pod, files })
    },
    peerUrl: (ordinal) => peerUrlOf(place, ordinal),
    count,
    hints: [{ action: 'repair', plane: place }],
  })
}

/** Connects to the members of a held plane, as many as its record has at each moment. */
export function clusterOf({ files, host, journal, place }: ChangeContext): EtcdCluster {
  return hostedCluster(host, place, { files, count: () => replicasOf(journal.record, 'etcd') })
}
