import { readFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { VplaneError } from '../../shared/errors.ts'
import type { Ports } from './store/plane-record.ts'

const LOWEST = 20_000

/** Where Linux and macOS begin to give out ports by themselves when nothing else is said. */
const DEFAULT_EPHEMERAL_START = 32_768

const TRIES = 400

/**
 * Four ports on 127.0.0.1 that nobody listens on and no plane has: below the range from which the kernel gives ports
 * to outgoing connections, so that they stay free for this plane while it rests.
 *
 * @throws {VplaneError} `FAILED` when no free port can be found.
 */
export async function choosePorts(taken: ReadonlySet<number>): Promise<Ports> {
  const chosen = new Set<number>()
  const highest = ephemeralStart()
  for (let tries = 0; tries < TRIES && chosen.size < 4; tries += 1) {
    const port = LOWEST + Math.floor(Math.random() * (highest - LOWEST))
    if (!taken.has(port) && !chosen.has(port) && (await isFree(port))) {
      chosen.add(port)
    }
  }
  const [etcdClient, etcdPeer, apiServer, controllerManager] = [...chosen]
  if (
    etcdClient === undefined ||
    etcdPeer === undefined ||
    apiServer === undefined ||
    controllerManager === undefined
  ) {
    throw new VplaneError('FAILED', `no free ports between ${LOWEST} and ${highest}`)
  }
  return { etcdClient, etcdPeer, apiServer, controllerManager }
}

/** Tells whether somebody could listen on a port of 127.0.0.1 now. */
export async function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () =>
      server.close(() => resolve(true)),
    )
  })
}

/** Tells whether somebody listens on a port of 127.0.0.1. */
export async function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' }, () => {
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
