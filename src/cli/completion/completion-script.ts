import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { packageRoot } from '../../shared/package-root.ts'

export const COMPLETION_SHELLS = ['bash', 'zsh', 'fish', 'powershell'] as const
export type CompletionShell = (typeof COMPLETION_SHELLS)[number]

/** A script that asks `vplane __complete`, so that it stays right when commands change. */
export function completionScript(shell: CompletionShell): string {
  const file = `vplane.${shell === 'powershell' ? 'ps1' : shell}`
  return readFileSync(join(packageRoot(), 'templates', 'completion', file), 'utf8')
}
