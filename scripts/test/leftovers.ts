import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'

export interface LeftProcess {
  id: number
  command: string
}

/** How the processes of a test run are known. */
export interface RunTraces {
  /** Stands in the environment or in the arguments of what the run started. */
  marker: string
  /** Some programs get neither; without their parent they are known by running code of this checkout. */
  root: string
  /** Ids of processes that were there before the run. */
  before: ReadonlySet<number>
}

/** The ids of all processes. Linux only; elsewhere there are none. */
export function processIds(): Set<number> {
  const names = process.platform === 'linux' ? readdirSync('/proc') : []
  return new Set(names.filter((name) => /^\d+$/.test(name)).map(Number))
}

/**
 * The processes that a test run left behind. Gives them until the deadline, because what watches over them may take
 * seconds.
 */
export async function leftProcesses(traces: RunTraces, deadlineMs: number): Promise<LeftProcess[]> {
  const end = performance.now() + deadlineMs
  for (;;) {
    const left = findProcesses(traces)
    if (left.length === 0 || performance.now() > end) {
      return left
    }
    await delay(100)
  }
}

/** Stops processes that still run. */
export function endProcesses(processes: readonly LeftProcess[]): void {
  for (const { id } of processes) {
    try {
      process.kill(id, 'SIGKILL')
    } catch {
      // It ended by itself.
    }
  }
}

function findProcesses({ marker, root, before }: RunTraces): LeftProcess[] {
  return [...processIds()]
    .filter((id) => id !== process.pid && !before.has(id))
    .flatMap((id) => {
      // A process that has ended and waits for its parent has neither arguments nor environment.
      const command = readProc(id, 'cmdline').replaceAll('\0', ' ').trim()
      const isMarked = command.includes(marker) || readProc(id, 'environ').includes(marker)
      const isOrphan = command.includes(root) && hasNoOwner(id)
      return isMarked || isOrphan ? [{ id, command }] : []
    })
}

/** Whether the process that started it has ended: such processes go to init, or to the systemd of a user. */
function hasNoOwner(id: number): boolean {
  const stat = readProc(id, 'stat')
  // Its state and its parent follow the name, which is in parentheses and may contain anything.
  const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
  return parent === 1 || readProc(parent, 'comm').trim() === 'systemd'
}

/** Empty if the process has exited in the meantime, or belongs to another user. */
function readProc(id: number, file: string): string {
  try {
    return readFileSync(`/proc/${id}/${file}`, 'utf8')
  } catch {
    return ''
  }
}
