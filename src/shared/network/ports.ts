import { readFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { VplaneError } from '../errors.ts'

const LOWEST = 20_000

/** The default start of the range from which Linux and macOS assign ports to outgoing connections. */
const DEFAULT_EPHEMERAL_START = 32_768

const LOOPBACK = '127.0.0.1'

/**
 * Chooses free ports on 127.0.0.1 that are not `taken`. They are below the range of ports for outgoing connections, so
 * that they are likely to stay free until they are used.
 *
 * @throws {VplaneError} `FAILED` when there are too few.
 */
export async function chooseLastingPorts(
  count: number,
  taken: ReadonlySet<number>,
): Promise<number[]> {
  const highest = ephemeralStart()
  const candidates = Array.from({ length: highest - LOWEST }, (_, index) => LOWEST + index).filter(
    (port) => !taken.has(port),
  )
  const chosen: number[] = []
  while (chosen.length < count && candidates.length > 0) {
    const [port = 0] = candidates.splice(Math.floor(Math.random() * candidates.length), 1)
    if (await isFree(port)) {
      chosen.push(port)
    }
  }
  if (chosen.length < count) {
    throw new VplaneError('FAILED', `no free ports between ${LOWEST} and ${highest}`)
  }
  return chosen
}

/** Whether a port of an address of this machine is free. */
export function isFree(port: number, host = LOOPBACK): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(true)))
  })
}

/** Whether several programs of one user can listen on one port, and each gets a part of the connections. */
export function canSharePorts(platform: NodeJS.Platform = process.platform): boolean {
  return platform === 'linux'
}

/** Whether a program listens on a port of an address, by default of this machine; not if the signal fires first. */
export async function isListening(
  port: number,
  host = LOOPBACK,
  signal?: AbortSignal,
): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host, ...(signal && { signal }) }, () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
}

function ephemeralStart(): number {
  try {
    const [start = ''] = readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8').split(/\s/)
    const value = Number(start)
    return value > LOWEST + 1000
      ? Math.min(value, DEFAULT_EPHEMERAL_START)
      : DEFAULT_EPHEMERAL_START
  } catch {
    // Not Linux.
    return DEFAULT_EPHEMERAL_START
  }
}
