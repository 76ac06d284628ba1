import { readFileSync } from 'node:fs'
import { processIds } from '../../scripts/test/leftovers.ts'
import { memoryOf } from '../plane-memory.ts'

/** What the keeper of a workspace uses. Linux only. */
export interface KeeperUsage {
  /** Resident set size in MiB: pages of files that it shares with other processes count in full. */
  rss: number
  /** Proportional set size in MiB. */
  pss: number
  /** Processor time since its start, in milliseconds. */
  cpuMs: number
}

/** Ticks of the kernel's clock for processes: 100 in each second, on every Linux. */
const TICK_MS = 10

/** What the keeper of the planes below a folder uses. @throws {Error} when none runs. */
export function keeperUsage(root: string): KeeperUsage {
  const id = [...processIds()].find((one) => {
    const words = commandOf(one)
    return words.includes('keeper') && words.includes(root)
  })
  if (id === undefined) {
    throw new Error('no keeper runs')
  }
  const [, kibibytes] =
    /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${id}/status`, 'utf8')) ?? []
  const stat = readFileSync(`/proc/${id}/stat`, 'utf8')
  // User and system time are the 14th and 15th field; the name, in parentheses, is the second.
  const [user, system] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13)
  return {
    rss: Number(kibibytes) / 1024,
    pss: memoryOf(id).total,
    cpuMs: (Number(user) + Number(system)) * TICK_MS,
  }
}

function commandOf(id: number): string[] {
  try {
    return readFileSync(`/proc/${id}/cmdline`, 'utf8').split('\0')
  } catch {
    // It has ended, or belongs to another user.
    return []
  }
}
