import { readdir, readFile, readlink } from 'node:fs/promises'
import { basename } from 'node:path'
import { inodeOf } from './socket-table.ts'

/** A process that has opened a connection. */
export interface ConnectingProcess {
  id: number
  /** The name of its program: `kubectl`. */
  name: string
}

interface Ports {
  from: number
  to: number
}

/**
 * Finds the process that has opened a connection from one port of 127.0.0.1 to another, by the files of all processes. Only
 * on Linux. Returns undefined when the connection has ended, or its process is one of another user.
 */
export async function connectingProcess(ports: Ports): Promise<ConnectingProcess | undefined> {
  try {
    const inode = await inodeOf(ports)
    const ids =
      inode === undefined ? [] : (await readdir('/proc')).filter((name) => /^\d/.test(name))
    for (const id of ids) {
      if (await holdsSocket(id, inode)) {
        const [program = ''] = (await readFile(`/proc/${id}/cmdline`, 'utf8')).split('\0')
        return { id: Number(id), name: basename(program) }
      }
    }
  } catch {
    // It has ended.
  }
  return undefined
}

/** Whether this process has opened such a connection. */
export async function isOwnConnection(ports: Ports): Promise<boolean> {
  return holdsSocket('self', await inodeOf(ports))
}

async function holdsSocket(id: string, inode: string | undefined): Promise<boolean> {
  const folder = `/proc/${id}/fd`
  const files = inode === undefined ? [] : await readdir(folder).catch(() => [])
  for (const file of files) {
    if ((await readlink(`${folder}/${file}`).catch(() => '')) === `socket:[${inode}]`) {
      return true
    }
  }
  return false
}
