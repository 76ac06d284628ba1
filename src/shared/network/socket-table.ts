import { readFile } from 'node:fs/promises'

// All of this is only for Linux: proc_net_tcp.txt of the kernel describes the table.
const TABLE = '/proc/net/tcp'

/** 127.0.0.1, as all machines that Node runs on write it there. */
const LOOPBACK = '0100007F'

/** How many sockets listen on a port of 127.0.0.1: several, when programs of one user share it (`SO_REUSEPORT`). */
export async function countListeners(port: number): Promise<number> {
  const listening = ` ${LOOPBACK}:${hex(port)} 00000000:0000 0A `
  return (await readFile(TABLE, 'latin1')).split(listening).length - 1
}

/** A connection of 127.0.0.1 with itself, between these ports. */
export interface Ports {
  /** @default any */
  from?: number
  to: number
}

/** The inodes of the sockets of clients with such a connection; none when it has ended. */
export async function clientInodes({ from, to }: Ports): Promise<string[]> {
  const port = from === undefined ? '[0-9A-F]{4}' : hex(from)
  // state, queues, timer, retransmissions, uid, timeout, inode
  const line = new RegExp(
    ` ${LOOPBACK}:${port} ${LOOPBACK}:${hex(to)} 01 \\S+ \\S+ \\S+ +\\d+ +\\d+ (\\d+) `,
    'g',
  )
  return [...(await readFile(TABLE, 'latin1')).matchAll(line)].map(([, inode = '']) => inode)
}

function hex(port: number): string {
  return port.toString(16).toUpperCase().padStart(4, '0')
}
