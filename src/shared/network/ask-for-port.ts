import { setTimeout as delay } from 'node:timers/promises'
import { connect } from 'node:tls'
import { isFree } from './ports.ts'

/** The server name with which a start asks for a port the keeper, which listens there while a plane sleeps. */
export const PORT_REQUEST = 'port.vplane.invalid'

const LOOPBACK = '127.0.0.1'

/** A keeper that does not answer within this time, in milliseconds, is busy, or it is another program. */
const ANSWER_MS = 1000
const RETRY_MS = 5

/** Asks what listens on a port of 127.0.0.1 to stop, again and again. Returns whether the port is free in the end. */
export async function askForPort(port: number, timeoutMs: number): Promise<boolean> {
  const until = performance.now() + timeoutMs
  while (!(await isFree(port))) {
    if (performance.now() > until) {
      return false
    }
    await ask(port)
    await delay(RETRY_MS)
  }
  return true
}

/** Returns when the connection has ended: a keeper ends it when it listens no longer. */
function ask(port: number): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect({ host: LOOPBACK, port, servername: PORT_REQUEST })
    socket.setTimeout(ANSWER_MS, () => socket.destroy())
    socket.once('secureConnect', () => socket.destroy())
    socket.on('error', () => {})
    socket.once('close', () => resolve())
  })
}
