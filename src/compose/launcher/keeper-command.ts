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
