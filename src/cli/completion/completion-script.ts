import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { packageRoot } from '../../shared/package-root.ts'

const FILES = {
  bash: 'vplane.bash',
  zsh: 'vplane.zsh',
  fish: 'vplane.fish',
  powershell: 'vplane.ps1',
} as const

export type CompletionShell = keyof typeof FILES

export const COMPLETION_SHELLS = [
  'bash',
  'zsh',
  'fish',
  'powershell',
] as const satisfies CompletionShell[]

/** A script that asks `vplane __complete`, so that it stays right when commands change. */
export function completionScript(shell: CompletionShell): string {
  return readFileSync(join(packageRoot(), 'templates', 'completion', FILES[shell]), 'utf8')
}
