import { join } from 'node:path'
import { trimLog } from '../drivers/local/logs/trim-log.ts'
import type { Environment } from '../shared/environment.ts'
import { tryFileLock } from '../shared/files/file-lock.ts'
import { launchProcess } from '../shared/processes/launch/launch-process.ts'
import type { ProcessTable } from '../shared/processes/process-table.ts'
import { tunnelEnvironment } from '../tunnel/tunnel-environment.ts'
import { launcherTarget } from './launcher/launcher-target.ts'

export interface EnsureKeeperOptions {
  /** The folder of all local planes. */
  root: string
  environment: Environment
  table: ProcessTable
}

/**
 * Starts the keeper of this user's local planes, unless it runs. It takes along what logins and proxies need of this
 * process's variables, those of AWS among them.
 *
 * @throws {VplaneError} `FAILED` when its lock cannot be looked at, `COMPONENT_FAILED` when it cannot be started.
 */
export async function ensureKeeper({
  environment,
  root,
  table,
}: EnsureKeeperOptions): Promise<void> {
  const { lock, log } = keeperPlace(root)
  if (await isHeld(lock)) {
    return
  }
  await trimLog(log)
  const { node, script } = launcherTarget()
  await launchProcess(
    {
      name: 'the keeper',
      binary: node,
      args: [script, 'keeper', root],
      env: tunnelEnvironment(environment),
      // It outlives folders that people remove or unmount.
      workingFolder: '/',
      log,
    },
    table,
  )
}

/** What belongs to the one keeper of a user's local planes: the lock that it holds, and its log. */
export function keeperPlace(root: string): { lock: string; log: string } {
  return { lock: join(root, 'locks', '.keeper'), log: join(root, 'keeper.log') }
}

async function isHeld(lock: string): Promise<boolean> {
  await using held = tryFileLock(lock)
  return held === undefined
}
