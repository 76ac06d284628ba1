import { join } from 'node:path'
import { tryFileLock } from '../../shared/files/file-lock.ts'
import { launcherTarget } from './launcher-target.ts'

/** The word that makes a keeper stay until it is stopped. */
export const RESIDENT = '--resident'

export interface KeeperCommand {
  node: string
  args: string[]
}

/** As for keepers in pods: with the default, what a list of a thousand planes leaves is kept for longer than it is needed. */
const NODE_FLAGS = ['--max-semi-space-size=2']

/** The command of the keeper of the local planes in `root`. */
export function keeperCommand(root: string, { isResident = false } = {}): KeeperCommand {
  const { node, script } = launcherTarget()
  const words = ['keeper', 'run', ...(isResident ? [RESIDENT] : []), root]
  return { node, args: [...NODE_FLAGS, script, ...words] }
}

/** Returns the lock that the keeper of a user's local planes holds, and its log. */
export function keeperPlace(root: string): { lock: string; log: string } {
  return { lock: join(root, 'locks', '.keeper'), log: join(root, 'keeper.log') }
}

/** Whether a keeper of the local planes in `root` runs. @throws {VplaneError} `FAILED` when its lock cannot be checked. */
export async function isKeeping(root: string): Promise<boolean> {
  await using held = tryFileLock(keeperPlace(root).lock)
  return held === undefined
}
