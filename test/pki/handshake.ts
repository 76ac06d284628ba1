import { once } from 'node:events'
import type { Server, TLSSocket } from 'node:tls'
import { connect, createServer } from 'node:tls'
import { listenOnLoopback } from '../support/api/fake-api-server.ts'

export interface Party {
  certificate: string
  key: string
  /** Whom it trusts: the CA of the other side. */
  trusts: string
}

/** Who a client is to the server once both have shown a certificate. */
export interface Peer {
  user: string
  protocol: string
}

/**
 * Lets two parties shake hands on loopback. Rejects with the client's error when it refuses the server, and with a
 * message that is the reason (an error code of OpenSSL) when the server refuses the client.
 */
export async function handshake(server: Party, client: Party, host?: string): Promise<Peer> {
  const peer = Promise.withResolvers<Peer>()
  // When the client refuses first, nothing waits for the server's result.
  peer.promise.catch(() => {})
  const listener = createServer(
    // The server looks for itself: Node's own refusal is a hang-up without the reason.
    { ...identityOf(server), requestCert: true, rejectUnauthorized: false },
    (socket) => {
      if (socket.authorized) {
        peer.resolve(peerOf(socket))
      } else {
        peer.reject(new Error(String(socket.authorizationError)))
      }
      socket.end()
    },
  )
  listener.on('tlsClientError', peer.reject)
  await using listened = await listening(listener)
  // Only names of hosts may go into SNI; without one the address is checked.
  const name = host === undefined ? {} : { servername: host }
  const address = { host: '127.0.0.1', port: listened.port }
  using socket = disposable(connect({ ...identityOf(client), ...address, ...name }))
  await once(socket.value, 'secureConnect')
  return await peer.promise
}

function identityOf({ certificate, key, trusts }: Party) {
  return { cert: certificate, key, ca: trusts }
}

function peerOf(socket: TLSSocket): Peer {
  return {
    user: String(socket.getPeerCertificate().subject.CN),
    protocol: String(socket.getProtocol()),
  }
}

async function listening(listener: Server) {
  const port = await listenOnLoopback(listener)
  const close = () => new Promise<void>((resolve) => listener.close(() => resolve()))
  return { port, [Symbol.asyncDispose]: close }
}

function disposable(socket: TLSSocket): Disposable & { value: TLSSocket } {
  return {
    value: socket,
    [Symbol.dispose]: () => {
      socket.on('error', () => {})
      socket.destroy()
    },
  }
}
