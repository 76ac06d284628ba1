import { constants } from 'node:crypto'
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { createServer, type Server, type ServerOptions } from 'node:https'
import type { Socket } from 'node:net'
import { createSecureContext, type SecureContextOptions, TLSSocket } from 'node:tls'
import { messageOf, VplaneError } from '../../shared/errors.ts'
import { listen } from '../../shared/network/listen.ts'

/** Who a server of the syncer is, and who may talk to it. PEM. */
export interface ServerTls {
  /** The server's certificate, with those between it and the CA behind it. */
  certificate: string
  key: string
  /** The CAs that client certificates may be from. */
  authorities: string
}

export interface TlsServerOptions {
  address: string
  /** 0 for one that is free. */
  port: number
  tls: ServerTls
  /** How long a client may take to shake hands, and to say what it wants, in milliseconds. @default 10000 */
  requestMs?: number
}

/** An HTTPS port of the syncer. Disposing it ends all connections. */
export interface TlsServer extends AsyncDisposable {
  readonly port: number
  /** Certificate, key and authorities for connections from now on. @throws {VplaneError} `FAILED`, and keeps what it has */
  setTls(tls: ServerTls): void
}

/** Longer than kube-apiserver keeps a connection that it does not use (90 s), so that it is never closed under a request. */
const KEEP_ALIVE_MS = 120_000

/**
 * Listens on an HTTPS port whose clients are asked for a certificate.
 *
 * @param https what is special about the server
 * @param attach gives the server its listeners, before anybody connects
 * @throws {VplaneError} `CONFLICT` when another program listens on the port, `FAILED` when it cannot be listened on or
 * the certificates cannot be used.
 */
export async function serveTls(
  { address, port, requestMs = 10_000, tls, what }: TlsServerOptions & { what: string },
  https: ServerOptions,
  attach: (server: Server) => void,
): Promise<TlsServer> {
  const server = createServer({
    ...https,
    ...serverTls(tls, what),
    requestCert: true,
    handshakeTimeout: requestMs,
    headersTimeout: requestMs,
    requestTimeout: requestMs,
    connectionsCheckingInterval: requestMs / 2,
    keepAliveTimeout: KEEP_ALIVE_MS,
  })
  attach(server)
  const clients = clientsOf(server)
  const bound = await listen(server, { address, port, purpose: `for ${what}` })
  return {
    port: bound,
    setTls: (next) => server.setSecureContext(serverTls(next, what)),
    [Symbol.asyncDispose]: async () => {
      const closed = once(server, 'close')
      server.close()
      clients.forEach((client) => client.destroy())
      await closed
    },
  }
}

/** The common name in the client's certificate, which TLS has checked; several are as good as none. */
export function clientNameOf({ socket }: IncomingMessage): string | undefined {
  const name: unknown =
    socket instanceof TLSSocket && socket.authorized
      ? socket.getPeerCertificate().subject?.CN
      : undefined
  return typeof name === 'string' ? name : undefined
}

/** How a port shakes hands. */
function serverTls(
  { authorities, certificate, key }: ServerTls,
  what: string,
): SecureContextOptions {
  const options: SecureContextOptions = {
    cert: certificate,
    key,
    ca: authorities,
    minVersion: 'TLSv1.2',
    // A resumed session is one whose certificate nobody looks at again.
    secureOptions: constants.SSL_OP_NO_TICKET,
  }
  try {
    // Node would take an empty one for none at all: then a certificate of every CA of this machine would do.
    if (!authorities.includes('-----BEGIN CERTIFICATE-----')) {
      throw new Error('there is none in the certificate authorities')
    }
    createSecureContext(options)
    return options
  } catch (cause) {
    const message = `cannot use the certificates of ${what}: ${messageOf(cause)}`
    throw new VplaneError('FAILED', message, { cause })
  }
}

/** All connections, those that speak another protocol by now among them. */
function clientsOf(server: Server): Set<Socket> {
  const clients = new Set<Socket>()
  for (const event of ['connection', 'secureConnection']) {
    server.on(event, (socket: Socket) => {
      clients.add(socket)
      socket.once('close', () => clients.delete(socket))
    })
  }
  return clients
}
