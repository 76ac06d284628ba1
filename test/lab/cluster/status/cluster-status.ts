import type { LabContext } from '../../lab-context.ts'
import { ensureDebianTools } from '../../machine/debian-tools.ts'
import type { ClusterRecord } from '../state/cluster-record.ts'
import { type LabCluster, labCluster } from '../lab-cluster.ts'

/** What runs of a cluster. */
export interface ClusterStatus {
  record: Pick<ClusterRecord, 'name' | 'nodeCount' | 'version'>
  server: string
  kubeconfig: string
  /** Processes by name: whether they run. */
  processes: Record<string, boolean>
}

/** Looks at the processes of a cluster. */
export async function clusterStatus(
  record: ClusterRecord,
  context: LabContext,
): Promise<ClusterStatus> {
  const cluster = labCluster(record, context, await ensureDebianTools(context))
  return {
    record,
    server: cluster.plan.server,
    kubeconfig: cluster.folder.kubeconfig,
    processes: Object.fromEntries(
      processNames(cluster).map((name) => [name, cluster.processes.find(name) !== undefined]),
    ),
  }
}

/** What is to be read of all clusters: a paragraph for each. */
export function formatStatus(all: readonly ClusterStatus[]): string {
  if (all.length === 0) {
    return 'no clusters\n'
  }
  return all.map(formatOne).join('\n')
}

function formatOne({ kubeconfig, processes, record, server }: ClusterStatus): string {
  const dead = Object.entries(processes).flatMap(([name, isRunning]) => (isRunning ? [] : [name]))
  const state = dead.length === 0 ? 'running' : `not running: ${dead.join(', ')}`
  return [
    `${record.name}: Kubernetes ${record.version}, ${record.nodeCount} nodes, ${state}`,
    `  server      ${server}`,
    `  kubeconfig  ${kubeconfig}`,
    '',
  ].join('\n')
}

function processNames({ plan }: LabCluster): string[] {
  const components = ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler']
  const host = [...components, 'volumes', 'policies']
  const ofNode = ['namespaces', 'containerd', 'kubelet', 'kube-proxy']
  return [...host, ...plan.nodes.flatMap(({ name }) => ofNode.map((each) => `${name}-${each}`))]
}
