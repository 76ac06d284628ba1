import { rm, symlink } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { packageRoot } from '../../../src/shared/package-root.ts'
import type { LabCluster } from './lab-cluster.ts'

/** A process of a cluster that is a script of this checkout. */
interface LabScript {
  name: string
  /** Its file. */
  script: URL
  args: readonly string[]
}

/** Starts a script that runs as long as its cluster, unless it runs. */
export async function startScript(
  { folder, processes }: LabCluster,
  { args, name, script }: LabScript,
): Promise<void> {
  // Its arguments name no path of the checkout: a test run ends what else of it is left, and the cluster may be that of
  // another run.
  const node = join(folder.root, 'node')
  await rm(node, { force: true })
  await symlink(process.execPath, node)
  await processes.start({
    name,
    command: [node, relative(packageRoot(), script.pathname), ...args],
    env: {},
    workingFolder: packageRoot(),
  })
}
