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

/**
 * The inode of a connection from one port of 127.0.0.1 to another, at its client; undefined when it has ended.
 */
export async function inodeOf({
  from,
  to,
}: {
  from: number
  to: number
}): Promise<string | undefined> {
  const connection = ` ${LOOPBACK}:${hex(from)} ${LOOPBACK}:${hex(to)} `
  const [, rest] = (await readFile(TABLE, 'latin1')).split(connection)
  // state, queues, timer, retransmissions, uid, timeout, inode
  return rest?.trim().split(/\s+/, 7)[6]
}

function hex(port: number): string {
  return port.toString(16).toUpperCase().padStart(4, '0')
}
