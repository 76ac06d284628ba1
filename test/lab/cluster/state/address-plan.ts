import { VplaneError } from '../../../../src/shared/errors.ts'

/** How many clusters there can be at once, and how many nodes in one. */
export const MAX_CLUSTERS = 250
export const MAX_NODES = 20

/** The range of all pods of a cluster. Clusters have the same one: they cannot see each other. */
export const POD_RANGE = '10.244.0.0/16'
export const SERVICE_RANGE = '10.96.0.0/16'
export const DNS_ADDRESS = '10.96.0.10'
export const CLUSTER_DOMAIN = 'cluster.local'
export const API_SERVER_PORT = 6443

const FIRST_NODE = 10

/** The addresses of one cluster. */
export interface AddressPlan {
  /** The machine's end of the cable to the cluster; names of interfaces may have 15 characters. */
  machineInterface: string
  /** The machine's address in the cluster's network. */
  machineAddress: string
  prefixLength: number
  /** Where clients on the machine and on all nodes reach the host's API server. */
  server: string
  nodes: NodePlan[]
}

/** The addresses of one node. */
export interface NodePlan {
  name: string
  index: number
  address: string
  podRange: string
}

/**
 * The addresses of a cluster. Each has a network of its own that only this machine sees.
 *
 * @throws {VplaneError} `USAGE` when there are no addresses for so many clusters or nodes.
 */
export function addressPlan(cluster: string, index: number, nodeCount: number): AddressPlan {
  if (index < 0 || index >= MAX_CLUSTERS) {
    throw new VplaneError(
      'USAGE',
      `the lab has no addresses for more than ${MAX_CLUSTERS} clusters`,
    )
  }
  if (!Number.isInteger(nodeCount) || nodeCount < 1 || nodeCount > MAX_NODES) {
    throw new VplaneError('USAGE', `a cluster of the lab has 1 to ${MAX_NODES} nodes`)
  }
  const network = `10.99.${index + 1}`
  return {
    machineInterface: `vplane-lab${index + 1}`,
    machineAddress: `${network}.1`,
    prefixLength: 24,
    server: `https://${network}.${FIRST_NODE}:${API_SERVER_PORT}`,
    nodes: Array.from({ length: nodeCount }, (_, node) => ({
      name: `${cluster}-${node}`,
      index: node,
      address: `${network}.${FIRST_NODE + node}`,
      podRange: `10.244.${node}.0/24`,
    })),
  }
}
