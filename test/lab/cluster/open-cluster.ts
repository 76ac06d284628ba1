import { VplaneError } from '../../../src/shared/errors.ts'
import type { LabContext } from '../lab-context.ts'
import { ensureDebianTools } from '../machine/debian-tools.ts'
import type { LabNode } from '../node/start-node.ts'
import { clusterFolder } from './state/cluster-folder.ts'
import { readClusterRecord } from './state/cluster-record.ts'
import { type LabCluster, labCluster } from './lab-cluster.ts'
import { findNodes } from './open-nodes.ts'

/**
 * A cluster that is up, and its nodes.
 *
 * @throws {VplaneError} `NOT_FOUND` when there is none of that name, or a node of it does not run.
 */
export async function openCluster(
  name: string,
  context: LabContext,
): Promise<{ cluster: LabCluster; nodes: LabNode[] }> {
  const record = readClusterRecord(clusterFolder(context.folder.clusters, name).root)
  const cluster = record && labCluster(record, context, await ensureDebianTools(context))
  const nodes = cluster && findNodes(cluster)
  if (cluster === undefined || nodes === undefined) {
    throw new VplaneError('NOT_FOUND', `the lab has no cluster "${name}" that runs`, {
      hints: [`npm run lab -- up --name ${name}`],
    })
  }
  return { cluster, nodes }
}
