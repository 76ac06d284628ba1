import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

export interface ListeningSocket {
  address: string
  port: number
}

/** The TCP sockets that processes listen on, or all of this machine: Linux only. */
export function listeningSockets(processIds?: readonly number[]): ListeningSocket[] {
  const inodes = processIds === undefined ? undefined : new Set(processIds.flatMap(socketInodes))
  return ['/proc/net/tcp', '/proc/net/tcp6'].flatMap((table) =>
    readFileSync(table, 'utf8')
      .trim()
      .split('\n')
      .slice(1)
      .map((line) => line.trim().split(/\s+/))
      // State 0A is LISTEN; the tenth field is the inode.
      .filter((fields) => fields[3] === '0A' && (inodes?.has(fields[9] ?? '') ?? true))
      .map(([, local = '']) => toSocket(local)),
  )
}

function socketInodes(processId: number): string[] {
  const folder = `/proc/${processId}/fd`
  return readdirSync(folder).flatMap((fd) => {
    try {
      return /^socket:\[(\d+)\]$/.exec(readlinkSync(`${folder}/${fd}`))?.[1] ?? []
    } catch {
      // Closed meanwhile.
      return []
    }
  })
}

/** `0100007F:4E20` is 127.0.0.1:20000: the address is a number in the byte order of the machine. */
function toSocket(local: string): ListeningSocket {
  const [address = '', port = ''] = local.split(':')
  const bytes = address.length === 8 ? address.match(/../g)?.toReversed() : undefined
  return {
    address: bytes?.map((byte) => Number.parseInt(byte, 16)).join('.') ?? address,
    port: Number.parseInt(port, 16),
  }
}
