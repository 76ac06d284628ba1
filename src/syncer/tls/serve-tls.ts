import { constants } from 'node:crypto'
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { createServer, type Server, type ServerOptions } from 'node:https'
import type { Socket } from 'node:net'
import { createSecureContext, type SecureContextOptions, TLSSocket } from 'node:tls'
import { messageOf, VplaneError } from '../../shared/errors.ts'
import { listen } from '../../shared/network/listen.ts'

/** The certificates and the key of a server of the syncer, PEM. */
export interface ServerTls {
  /** The server's certificate, followed by its intermediate certificates. */
  certificate: string
  key: string
  /** The CAs that may have issued client certificates. */
  authorities: string
}

export interface TlsServerOptions {
  address: string
  port: number
  tls: ServerTls
  /** How long a client may take for the TLS handshake, and to send a request, in milliseconds. @default 10000 */
  requestMs?: number
}

/** An HTTPS port of the syncer; disposing it closes all connections. */
export interface TlsServer extends AsyncDisposable {
  readonly port: number
  /** Changes the certificates for later connections. @throws {VplaneError} `FAILED`, without a change, if they are invalid */
  setTls(tls: ServerTls): void
}

/** Longer than kube-apiserver keeps an idle connection (90 s), so that the server never closes one during a request. */
const KEEP_ALIVE_MS = 120_000

/**
 * Listens on an HTTPS port that requests client certificates; `attach` adds listeners before a client connects.
 * @throws {VplaneError} `FAILED` when another program listens there, listening fails, or the certificates are invalid.
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

/** The common name in the client's verified certificate; undefined when it has none or several. */
export function clientNameOf({ socket }: IncomingMessage): string | undefined {
  const name: unknown =
    socket instanceof TLSSocket && socket.authorized
      ? socket.getPeerCertificate().subject?.CN
      : undefined
  return typeof name === 'string' ? name : undefined
}

function serverTls(
  { authorities, certificate, key }: ServerTls,
  what: string,
): SecureContextOptions {
  const options: SecureContextOptions = {
    cert: certificate,
    key,
    ca: authorities,
    minVersion: 'TLSv1.2',
    // In a resumed session the client's certificate would not be verified again.
    secureOptions: constants.SSL_OP_NO_TICKET,
  }
  try {
    // For an empty text, Node would trust every CA of this machine.
    if (!authorities.includes('-----BEGIN CERTIFICATE-----')) {
      throw new Error('the certificate authorities contain no certificate')
    }
    createSecureContext(options)
    return options
  } catch (cause) {
    const message = `cannot use the certificates of ${what}: ${messageOf(cause)}`
    throw new VplaneError('FAILED', message, { cause })
  }
}

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
