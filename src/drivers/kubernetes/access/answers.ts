import { connect } from 'node:tls'

/** A server that is near answers in a fraction of this, in milliseconds; one that is behind a firewall never does. */
const TIMEOUT_MS = 1500

/** Whether a server can be reached from here and proves to be the one that the CA knows. */
export function answers(server: string, certificateAuthority: string): Promise<boolean> {
  const { hostname, port } = new URL(server)
  const host = hostname.replaceAll(/^\[|\]$/g, '')
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const socket = connect({
    host,
    port: port === '' ? 443 : Number(port),
    ca: certificateAuthority,
    servername: /^[\d.]+$|:/.test(host) ? '' : host,
    rejectUnauthorized: true,
    timeout: TIMEOUT_MS,
  })
  const end = (isThere: boolean) => {
    socket.destroy()
    resolve(isThere)
  }
  socket.once('secureConnect', () => end(socket.authorized))
  socket.once('timeout', () => end(false))
  socket.once('error', () => end(false))
  return promise
}
