import { hostedCluster } from '../etcd/hosted-cluster.ts'
import type { KubernetesContext } from '../context/context.ts'
import { storedKeys } from '../objects/stored-keys.ts'
import type { ComponentProblem } from '../context/problem.ts'
import { replicasOf } from '../observed/workloads.ts'
import { observePlane, type ObservedPlane } from '../observed/observed-plane.ts'
import type { ReadableRecord } from '../record/record-store.ts'
import { observeMembers, type ObservedMembers } from './observe-members.ts'

/** The state of a plane in which faults are searched. */
export interface InspectedPlane extends ObservedMembers {
  observed: ObservedPlane
  /** Why components cannot run, as the host reports. */
  problems: ComponentProblem[]
}

/**
 * Reads the state of a plane from the host and from the members of its etcd.
 *
 * @throws {VplaneError} `FAILED` when its keys are lost, `UNREACHABLE` when the host cluster does not respond.
 */
export async function inspectPlane(
  { diagnose, host: openHost, now }: Pick<KubernetesContext, 'diagnose' | 'host' | 'now'>,
  { name, namespace, record }: Pick<ReadableRecord, 'name' | 'namespace' | 'record'>,
  signal: AbortSignal,
): Promise<InspectedPlane> {
  const place = { name, namespace }
  const host = await openHost()
  const { api, context: hostContext } = host
  const [observed, problems, files] = await Promise.all([
    observePlane(api, place, signal),
    diagnose({ ...place, api, hostContext, signal }),
    storedKeys(api, place, signal),
  ])
  const count = replicasOf(record, 'etcd')
  const cluster = hostedCluster(host, place, { files, count: () => count })
  const { ephemeral: isEphemeral } = record.spec
  const context = { host, isEphemeral, cluster, place, count, observed, problems, now: now() }
  return { observed, problems, ...(await observeMembers(context, signal)) }
}
