import { existsSync } from 'node:fs'
import type { LauncherTarget } from '../../kubeconfig/plugin/credential-launcher.ts'
import { launcherTarget } from './launcher-target.ts'

/** The word that makes a keeper stay until it is stopped. */
export const RESIDENT = '--resident'

/** The word that makes a keeper wait for the end of the one that started it. */
export const SUCCESSOR = '--successor'

export interface KeeperCommand {
  node: string
  args: string[]
}

interface KeeperCommandOptions {
  /** @default a keeper that ends when another one runs, or no plane needs it */
  kind?: typeof RESIDENT | typeof SUCCESSOR | undefined
  /** The vplane that it starts, or, if that does not exist any more, the one on PATH. @default this one */
  target?: LauncherTarget
}

/** As for keepers in pods: with the default, what a list of a thousand planes leaves is kept for longer than it is needed. */
const NODE_FLAGS = ['--max-semi-space-size=2']

/** The command of the keeper of the local planes in `root`. */
export function keeperCommand(
  root: string,
  { kind, target: { node, script } = launcherTarget() }: KeeperCommandOptions = {},
): KeeperCommand {
  const words = ['keeper', 'run', ...(kind === undefined ? [] : [kind]), root]
  return existsSync(node) && existsSync(script)
    ? { node, args: [...NODE_FLAGS, script, ...words] }
    : { node: 'vplane', args: words }
}
