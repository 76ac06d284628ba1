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
    findByCommand: (matches) =>
      run('/bin/ps', ['-x', '-ww', '-o', 'pid=,command='])
        .split('\n')
        .map((line) => /^\s*(\d+) (.*)$/.exec(line))
        .filter((match) => matches(wordsOf(match?.[2] ?? ''), Number(match?.[1])))
        .map((match) => Number(match?.[1]))
        .filter((processId) => processId !== process.pid),
  }
}

/** Splits the output of ps, which joins words with spaces: only a flag begins a word, as folders may have spaces. */
function wordsOf(commandLine: string): string[] {
  return commandLine.split(/ (?=--)/)
}

/** Uses a fixed language and time zone, because a start time is compared with the one that another run recorded. */
function runCommand(command: string, args: string[]): string {
  try {
    return execFileSync(command, args, {
      encoding: 'utf8',
      env: { LC_ALL: 'C', TZ: 'UTC' },
      stdio: ['ignore', 'pipe', 'ignore'],
    })
  } catch {
    // ps exits with 1 when the process does not exist.
    return ''
  }
}
