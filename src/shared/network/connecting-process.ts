import { readdir, readFile, readlink } from 'node:fs/promises'
import { basename } from 'node:path'
import { linuxProcessTable } from '../processes/linux-process-table.ts'

/** A process that has opened a connection. */
export interface ConnectingProcess {
  id: number
  /** The name of its program: `kubectl`. */
  name: string
  /** Differs from that of a later process with the same id. */
  startTime: string
}

const MAX_NAME = 64

/**
 * Finds the processes that hold sockets, by the files of all processes. Only on Linux. A process of another user is
 * undefined, and so is one that has ended meanwhile.
 */
export async function processesOf(
  inodes: readonly string[],
): Promise<Array<ConnectingProcess | undefined>> {
  const holders = inodes.length === 0 ? new Map<string, number>() : await holdersOf(inodes)
  const table = linuxProcessTable()
  return Promise.all(
    inodes.map(async (inode) => {
      const id = holders.get(inode)
      const startTime = id === undefined ? undefined : table.startTimeOf(id)
      return id === undefined || startTime === undefined
        ? undefined
        : { id, startTime, name: await programOf(id) }
    }),
  )
}

/** The ids of the processes that hold sockets with these inodes. */
async function holdersOf(inodes: readonly string[]): Promise<Map<string, number>> {
  const wanted = new Set(inodes)
  const holders = new Map<string, number>()
  for (const id of (await readdir('/proc')).filter((name) => /^\d/.test(name))) {
    for (const inode of await socketsOf(id, wanted)) {
      holders.set(inode, Number(id))
      wanted.delete(inode)
    }
    if (wanted.size === 0) {
      break
    }
  }
  return holders
}

/** Those of the sockets that a process holds; none of a process of another user, or that has ended. */
async function socketsOf(id: string, inodes: ReadonlySet<string>): Promise<string[]> {
  const folder = `/proc/${id}/fd`
  const files = await readdir(folder).catch(() => [])
  const links = await Promise.all(
    files.map((file) => readlink(`${folder}/${file}`).catch(() => '')),
  )
  return links
    .map((link) => /^socket:\[(\d+)\]$/.exec(link)?.[1] ?? '')
    .filter((inode) => inodes.has(inode))
}

async function programOf(id: number): Promise<string> {
  const [program = ''] = (await readFile(`/proc/${id}/cmdline`, 'utf8').catch(() => '')).split('\0')
  return basename(program)
    .slice(0, MAX_NAME)
    .replaceAll(/[^ -~]/g, '?')
}
