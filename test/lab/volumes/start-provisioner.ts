import { dirname } from 'node:path'
import type { LabCluster } from '../cluster/lab-cluster.ts'
import { startScript } from '../cluster/start-script.ts'

/** Starts the process that makes the volumes of a cluster, unless it runs. */
export async function startProvisioner(cluster: LabCluster): Promise<void> {
  const { folder, plan, record } = cluster
  await startScript(cluster, {
    name: 'volumes',
    script: new URL('main.ts', import.meta.url),
    args: [dirname(folder.root), record.name, plan.server],
  })
}
