import { readdirSync, readFileSync } from 'node:fs'
import type { ProcessTable } from './process-table.ts'

/** The processes of a Linux machine, from /proc (proc_pid_stat(5), proc_pid_status(5)). */
export function linuxProcessTable(root = '/proc', userId = process.getuid?.()): ProcessTable {
  let bootId: string | undefined
  const isOwn = (processId: number) => userOf(read(`${root}/${processId}/status`)) === userId
  return {
    startTimeOf: (processId) => parseStartTime(read(`${root}/${processId}/stat`)),
    bootId: () => (bootId ??= read(`${root}/sys/kernel/random/boot_id`).trim()),
    findByCommand: (matches) =>
      readdirSync(root)
        .filter((name) => /^\d+$/.test(name))
        .map(Number)
        .filter((processId) => processId !== process.pid)
        .filter((processId) => matches(read(`${root}/${processId}/cmdline`).split('\0'), processId))
        .filter(isOwn),
  }
}

/**
 * Field 22 of a stat line, in clock ticks since boot; undefined for zombies and dead processes. The second field is the
 * command's name in parentheses and may contain anything, so counting starts behind the last one.
 *
 * A process whose first thread has ended is shown as a zombie while its other threads run. It keeps its files and
 * ports, so it counts as alive. Field 20 is the number of threads.
 */
function parseStartTime(stat: string): string | undefined {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const isDead = ['', 'X', 'x'].includes(fields[0] ?? '')
  const isZombie = fields[0] === 'Z' && Number(fields[17]) <= 1
  return isDead || isZombie ? undefined : fields[19]
}

/** The real user of a process. The owner of its folder is root for a binary with file capabilities. */
function userOf(status: string): number | undefined {
  const match = /^Uid:\s+(\d+)/m.exec(status)
  return match === null ? undefined : Number(match[1])
}

/** Reads a file; empty when the process has ended, or belongs to another user. */
function read(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
