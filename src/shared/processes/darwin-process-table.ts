import { execFileSync } from 'node:child_process'
import type { ProcessTable } from './process-table.ts'

type Run = (command: string, args: string[]) => string

/** The processes of a macOS machine, from ps(1) and sysctl(8). */
export function darwinProcessTable(run: Run = runCommand): ProcessTable {
  let bootId: string | undefined
  return {
    startTimeOf: (processId) => {
      const line = run('/bin/ps', ['-o', 'stat=,lstart=', '-p', String(processId)]).trim()
      const [state = '', ...started] = line.split(/\s+/)
      return state === '' || state.startsWith('Z') ? undefined : started.join(' ')
    },
    bootId: () => (bootId ??= run('/usr/sbin/sysctl', ['-n', 'kern.bootsessionuuid']).trim()),
    findByCommand: (isWanted) =>
      run('/bin/ps', ['-x', '-ww', '-o', 'pid=,command='])
        .split('\n')
        .map((line) => /^\s*(\d+) (.*)$/.exec(line))
        .filter((match) => isWanted(wordsOf(match?.[2] ?? ''), Number(match?.[1])))
        .map((match) => Number(match?.[1]))
        .filter((processId) => processId !== process.pid),
  }
}

/** ps joins words with spaces, and folders of macOS have spaces in their names: so only a flag begins a new word. */
function wordsOf(commandLine: string): string[] {
  return commandLine.split(/ (?=--)/)
}

/** The start time is text in the language and the time zone of whoever asks, and is compared with what another run wrote down. */
function runCommand(command: string, args: string[]): string {
  try {
    return execFileSync(command, args, {
      encoding: 'utf8',
      env: { LC_ALL: 'C', TZ: 'UTC' },
      stdio: ['ignore', 'pipe', 'ignore'],
    })
  } catch {
    // ps exits 1 when there is no such process.
    return ''
  }
}
