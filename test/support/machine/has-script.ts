import { spawnSync } from 'node:child_process'

/** Whether this machine has util-linux's `script`, as every Debian has: it runs a command on a terminal of its own. */
export function hasScript(): boolean {
  return process.platform === 'linux' && spawnSync('script', ['--version']).status === 0
}
