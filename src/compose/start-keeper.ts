import type { Environment } from '../shared/environment.ts'
import { launchProcess } from '../shared/processes/launch/launch-process.ts'
import type { ProcessRecord } from '../shared/processes/launch/process-record.ts'
import type { ProcessTable } from '../shared/processes/process-table.ts'
import { type KeeperCommand, keeperCommand } from './launcher/keeper-command.ts'
import { keeperEnvironment } from './launcher/keeper-environment.ts'
import { keeperPlace } from './launcher/keeper-place.ts'

/**
 * Starts the keeper of this user's local planes in `root`. It ends at once if another one runs.
 * @throws {VplaneError} `COMPONENT_FAILED` when it cannot be started.
 */
export async function startKeeper(options: {
  root: string
  environment: Environment
  table: ProcessTable
  /** @default that of this vplane */
  command?: KeeperCommand
}): Promise<ProcessRecord> {
  const { environment, root, table } = options
  const { log } = keeperPlace(root)
  const { node, args } = options.command ?? keeperCommand(root)
  return launchProcess(
    {
      name: 'the keeper',
      binary: node,
      args,
      env: keeperEnvironment(environment),
      // It must not keep the current folder from being removed or unmounted.
      workingFolder: '/',
      log,
    },
    table,
  )
}
