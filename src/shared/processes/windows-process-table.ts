import { execFileSync } from 'node:child_process'
import type { ProcessTable } from './process-table.ts'

type Run = (script: string) => string

/** The processes of a Windows machine, from PowerShell's Get-Process. It takes a few tenths of a second to answer. */
export function windowsProcessTable(run: Run = runScript): ProcessTable {
  return {
    startTimeOf: (processId) => {
      const text = run(
        `Get-Process -Id ${processId} -ErrorAction SilentlyContinue | ForEach-Object { $_.StartTime.ToFileTimeUtc() }`,
      ).trim()
      return text === '' ? undefined : text
    },
    // Times of start are dates there, so they differ between boots by themselves.
    bootId: () => 'windows',
    // Only the local driver looks for processes that nobody wrote down, and it does not run there.
    findByCommand: () => [],
  }
}

function runScript(script: string): string {
  try {
    return execFileSync('powershell.exe', ['-NoProfile', '-NonInteractive', '-Command', script], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
      windowsHide: true,
    })
  } catch {
    // No PowerShell, or no such process: nothing is known to live.
    return ''
  }
}
