import type { LabCluster } from '../cluster/lab-cluster.ts'
import { startScript } from '../cluster/start-script.ts'
import type { LabContext } from '../lab-context.ts'

/** Starts the process that enforces the network policies of a cluster, unless it runs. */
export async function startEnforcer(cluster: LabCluster, { folder }: LabContext): Promise<void> {
  await startScript(cluster, {
    name: 'policies',
    script: new URL('main.ts', import.meta.url),
    args: [folder.cache, cluster.record.name],
  })
}
