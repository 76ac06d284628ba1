import type { LabContext } from '../lab-context.ts'
import { type ClusterCgroups, clusterCgroups } from '../machine/cgroups.ts'
import type { DebianTools } from '../machine/debian-tools.ts'
import { type AddressPlan, addressPlan } from './address-plan.ts'
import { type ClusterFolder, clusterFolder } from './cluster-folder.ts'
import { type ClusterProcesses, clusterProcesses } from './cluster-processes.ts'
import type { ClusterRecord } from './cluster-record.ts'

/** One cluster and the means to work on it. */
export interface LabCluster {
  record: ClusterRecord
  plan: AddressPlan
  folder: ClusterFolder
  cgroups: ClusterCgroups
  processes: ClusterProcesses
  tools: DebianTools
}

/** The means to work on the cluster of a record. */
export function labCluster(
  record: ClusterRecord,
  { folder }: LabContext,
  tools: DebianTools,
): LabCluster {
  const own = clusterFolder(folder.clusters, record.name)
  const cgroups = clusterCgroups(record.group)
  return {
    record,
    plan: addressPlan(record.name, record.index, record.nodeCount),
    folder: own,
    cgroups,
    processes: clusterProcesses(own, cgroups),
    tools,
  }
}
