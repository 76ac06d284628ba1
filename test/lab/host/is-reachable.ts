import { connect } from 'node:net'

const TIMEOUT_MS = 1000

/** Returns whether something listens on a TCP port. */
export function isReachable(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: TIMEOUT_MS })
    const end = (answer: boolean) => () => {
      socket.destroy()
      resolve(answer)
    }
    socket.once('connect', end(true))
    socket.once('timeout', end(false))
    socket.once('error', end(false))
  })
}
