import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { packageRoot } from '../../shared/package-root.ts'

const FILES = {
  bash: 'vplane.bash',
  zsh: 'vplane.zsh',
  fish: 'vplane.fish',
  powershell: 'vplane.ps1',
} as const

/** A shell that there is a completion script for. */
export type CompletionShell = keyof typeof FILES

export const COMPLETION_SHELLS = [
  'bash',
  'zsh',
  'fish',
  'powershell',
] as const satisfies CompletionShell[]

/**
 * The script that makes a shell complete vplane's command lines. It knows nothing of vplane's commands but asks
 * `vplane __complete`, so that it stays right when vplane changes.
 */
export function completionScript(shell: CompletionShell): string {
  return readFileSync(join(packageRoot(), 'templates', 'completion', FILES[shell]), 'utf8')
}
