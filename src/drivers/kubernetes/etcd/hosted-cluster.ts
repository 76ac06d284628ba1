import { type EtcdCluster, etcdCluster } from '../../../etcd/members/etcd-cluster.ts'
import { memberName, peerUrlOf } from '../../../manifests/pod-layout.ts'
import type { PlaneFiles } from '../objects/plane-keys.ts'
import type { Host } from '../context/context.ts'
import { etcdInPod } from './hosted-etcd.ts'
import type { PlacedName } from '../context/object-names.ts'
import { replicasOf } from '../observed/workloads.ts'
import type { ChangeContext } from '../objects/change-context.ts'

export interface HostedClusterOptions {
  /** The plane's keys and certificates. */
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
