import { join } from 'node:path'
import { trimLog } from '../drivers/local/logs/trim-log.ts'
import type { Environment } from '../shared/environment.ts'
import { tryFileLock } from '../shared/files/file-lock.ts'
import { launchProcess } from '../shared/processes/launch/launch-process.ts'
import type { ProcessTable } from '../shared/processes/process-table.ts'
import { tunnelEnvironment } from '../tunnel/tunnel-environment.ts'
import { launcherTarget } from './launcher/launcher-target.ts'

/**
 * Starts the keeper of this user's local planes in `root`, unless it runs, with the variables that logins and proxies
 * need, including those of AWS.
 * @throws {VplaneError} `FAILED` when its lock cannot be checked, `COMPONENT_FAILED` when it cannot be started.
 */
export async function ensureKeeper(options: {
  root: string
  environment: Environment
  table: ProcessTable
}): Promise<void> {
  const { environment, root, table } = options
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
      // It must not keep the current folder from being removed or unmounted.
      workingFolder: '/',
      log,
    },
    table,
  )
}

/** Returns the lock that the keeper of a user's local planes holds, and its log. */
export function keeperPlace(root: string): { lock: string; log: string } {
  return { lock: join(root, 'locks', '.keeper'), log: join(root, 'keeper.log') }
}

async function isHeld(lock: string): Promise<boolean> {
  await using held = tryFileLock(lock)
  return held === undefined
}
