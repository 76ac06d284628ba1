import { rm, symlink } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { packageRoot } from '../../../src/shared/package-root.ts'
import type { LabCluster } from '../cluster/lab-cluster.ts'

/** Starts the process that makes the volumes of a cluster, unless it runs. */
export async function startProvisioner({ folder, plan, processes, record }: LabCluster) {
  // Its arguments name no path of the checkout: a test run ends what else of it is left, and the cluster may be that of
  // another run.
  const node = join(folder.root, 'node')
  await rm(node, { force: true })
  await symlink(process.execPath, node)
  const program = relative(packageRoot(), new URL('main.ts', import.meta.url).pathname)
  await processes.start({
    name: 'volumes',
    command: [node, program, dirname(folder.root), record.name, plan.server],
    env: {},
    workingFolder: packageRoot(),
  })
}
