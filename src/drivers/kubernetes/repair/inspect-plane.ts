import { hostedCluster } from '../etcd/hosted-cluster.ts'
import type { KubernetesContext } from '../context/context.ts'
import { storedKeys } from '../objects/stored-keys.ts'
import type { ComponentProblem } from '../context/problem.ts'
import { replicasOf } from '../observed/workloads.ts'
import { observePlane, type ObservedPlane } from '../observed/observed-plane.ts'
import type { ReadableRecord } from '../record/record-store.ts'
import { observeMembers, type ObservedMembers } from './observe-members.ts'

/** A plane as whoever looks for a fault sees it. */
export interface InspectedPlane extends ObservedMembers {
  look: ObservedPlane
  /** Why components cannot run, as the host says. */
  problems: ComponentProblem[]
}

/**
 * Looks at a plane from all sides: from the host, and from the members of its etcd.
 *
 * @throws {VplaneError} `FAILED` when its keys are lost, `UNREACHABLE` when the host cluster cannot be asked.
 */
export async function inspectPlane(
  { diagnose, host: openHost, now }: Pick<KubernetesContext, 'diagnose' | 'host' | 'now'>,
  { name, namespace, record }: Pick<ReadableRecord, 'name' | 'namespace' | 'record'>,
  signal: AbortSignal,
): Promise<InspectedPlane> {
  const place = { name, namespace }
  const host = await openHost()
  const { api, context: hostContext } = host
  const [look, problems, files] = await Promise.all([
    observePlane(api, place, signal),
    diagnose({ ...place, api, hostContext, signal }),
    storedKeys(api, place, signal),
  ])
  const count = replicasOf(record, 'etcd')
  const cluster = hostedCluster(host, place, { files, count: () => count })
  const { ephemeral: isEphemeral } = record.spec
  const seen = { host, isEphemeral, cluster, place, count, look, problems, now: now() }
  return { look, problems, ...(await observeMembers(seen, signal)) }
}
