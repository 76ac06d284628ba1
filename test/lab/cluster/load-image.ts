import type { LabContext } from '../lab-context.ts'
import { importImage } from '../node/start-node.ts'
import { openCluster } from './open-cluster.ts'

/**
 * Imports an image archive on all nodes of a cluster.
 *
 * @throws {VplaneError} `NOT_FOUND` when there is no such cluster, `FAILED` when the archive is none.
 */
export async function loadImage(name: string, archive: string, context: LabContext): Promise<void> {
  const { cluster, nodes } = await openCluster(name, context)
  await Promise.all(nodes.map((node) => importImage(cluster, node, archive)))
}
