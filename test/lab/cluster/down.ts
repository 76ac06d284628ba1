import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { acquireFileLock } from '../../../src/shared/files/file-lock.ts'
import type { LabContext } from '../lab-context.ts'
import { ensureDebianTools } from '../machine/debian-tools.ts'
import { disconnectNodes } from '../node/connect-nodes.ts'
import { clusterFolder } from './state/cluster-folder.ts'
import { readClusterRecord } from './state/cluster-record.ts'
import { labCluster } from './lab-cluster.ts'

const LOCK_TIMEOUT_MS = 600_000

/**
 * Removes a cluster: its processes, with them its namespaces, mounts and networks, and its folder. False when there is
 * none of that name.
 *
 * @throws {VplaneError} `TIMED_OUT` when a process does not end, `ABORTED` when the signal fires.
 */
export async function down(name: string, context: LabContext): Promise<boolean> {
  const { folder, signal, ui } = context
  await using _ = await acquireFileLock(join(folder.locks, `${name}.lock`), {
    what: `another lab that works on "${name}"`,
    timeoutMs: LOCK_TIMEOUT_MS,
    signal,
  })
  const { root } = clusterFolder(folder.clusters, name)
  const record = readClusterRecord(root)
  if (record === undefined) {
    return false
  }
  ui.step(`removing "${name}"`)
  const tools = await ensureDebianTools(context)
  const { cgroups, plan } = labCluster(record, context, tools)
  await disconnectNodes(plan, tools)
  await cgroups.remove(signal)
  await rm(root, { recursive: true })
  return true
}
