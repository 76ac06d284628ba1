import type { EtcdFigures } from '../../../control-plane/status/plane-figures.ts'
import { etcdFigures } from '../../../etcd/status/etcd-figures.ts'
import { memberName } from '../../../manifests/pod-layout.ts'
import { hostedCluster } from '../etcd/hosted-etcd.ts'
import type { Host } from '../context/context.ts'
import { readKeys } from '../objects/plane-keys.ts'
import type { PlacedName } from '../context/object-names.ts'
import { readPlane } from '../record/hold-plane.ts'
import { replicasOf } from '../observed/workloads.ts'

/** Returns the figures that the members of a plane's etcd report. */
export async function membersFigures(
  host: Pick<Host, 'api' | 'forward'>,
  { id, place }: { id: string; place: PlacedName },
  signal: AbortSignal,
): Promise<EtcdFigures> {
  const [{ record }, files] = await Promise.all([
    readPlane(host.api, { id, place }, signal),
    readKeys(host.api, place, signal),
  ])
  const count = replicasOf(record, 'etcd')
  const cluster = hostedCluster(host, place, { files, count: () => count })
  const members = Array.from({ length: count }, (_, ordinal) => ({
    instance: memberName(place.name, ordinal),
    connection: cluster.at(ordinal),
  }))
  return etcdFigures(members, signal)
}
