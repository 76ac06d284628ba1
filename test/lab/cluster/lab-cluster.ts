import type { LabContext } from '../lab-context.ts'
import { clusterCgroups } from '../machine/cgroups.ts'
import type { DebianTools } from '../machine/debian-tools.ts'
import { addressPlan } from './state/address-plan.ts'
import { clusterFolder } from './state/cluster-folder.ts'
import { clusterProcesses } from './cluster-processes.ts'
import type { ClusterRecord } from './state/cluster-record.ts'

export type LabCluster = ReturnType<typeof labCluster>

/** The cluster of a record, and the means to work on it. */
export function labCluster(record: ClusterRecord, context: LabContext, tools: DebianTools) {
  const folder = clusterFolder(context.folder.clusters, record.name)
  const cgroups = clusterCgroups(record.group)
  const plan = addressPlan(record.name, record.index, record.nodeCount)
  return { record, plan, folder, cgroups, processes: clusterProcesses(folder, cgroups), tools }
}
