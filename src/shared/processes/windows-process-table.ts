import { execFileSync } from 'node:child_process'
import type { ProcessTable } from './process-table.ts'

type Run = (script: string) => string

/** The processes of a Windows machine, from PowerShell's Get-Process, which takes a few tenths of a second. */
export function windowsProcessTable(run: Run = runScript): ProcessTable {
  return {
    startTimeOf: (processId) => {
      const text = run(
        `Get-Process -Id ${processId} -ErrorAction SilentlyContinue | ForEach-Object { $_.StartTime.ToFileTimeUtc() }`,
      ).trim()
      return text === '' ? undefined : text
    },
    // Start times are dates on Windows, so they already differ between boots.
    bootId: () => 'windows',
    // Only the local driver finds unrecorded processes, and it does not support Windows.
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
    // PowerShell or the process does not exist: no process is known to run.
    return ''
  }
}
