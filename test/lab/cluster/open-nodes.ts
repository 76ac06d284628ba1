import { connectNodes, disconnectNodes } from '../node/connect-nodes.ts'
import { findNamespaces, makeNamespaces } from '../node/node-namespaces.ts'
import type { LabNode } from '../node/start-node.ts'
import type { LabCluster } from './lab-cluster.ts'

/**
 * The namespaces of all nodes, connected. When one is missing, as after a reboot, what is left of the cluster's processes
 * is ended and all are made again.
 */
export async function openNodes(cluster: LabCluster, signal: AbortSignal): Promise<LabNode[]> {
  const { cgroups, folder, plan, processes, tools } = cluster
  const known = findNodes(cluster)
  if (known !== undefined) {
    return known
  }
  await disconnectNodes(plan, tools)
  await cgroups.remove(signal)
  await cgroups.make(plan.nodes.map(({ name }) => name))
  const nodes: LabNode[] = []
  for (const node of plan.nodes) {
    const place = { node: node.name, folder: folder.node(node.name), shared: folder.shared }
    nodes.push({ plan: node, namespaces: await makeNamespaces(place, processes, tools) })
  }
  await connectNodes(
    plan,
    nodes.map(({ namespaces }) => namespaces),
    tools,
  )
  return nodes
}

/** The nodes of a cluster that runs; undefined when one of them does not. */
export function findNodes({ plan, processes, tools }: LabCluster): LabNode[] | undefined {
  const nodes = plan.nodes.flatMap((node) => {
    const namespaces = findNamespaces(node.name, processes, tools)
    return namespaces === undefined ? [] : [{ plan: node, namespaces }]
  })
  return nodes.length === plan.nodes.length ? nodes : undefined
}
