import type { Duplex } from 'node:stream'
import { connect, type TLSSocket } from 'node:tls'

/** Who is to be at the other end, and who this is. */
export interface TlsPeers {
  /** The name that the server's certificate has to be for. */
  serverName: string
  /** CA bundle, PEM. */
  certificateAuthority: string
  /** Client certificate, PEM; with `key`. @default none */
  certificate?: string | undefined
  /** Private key of the client certificate, PEM. */
  key?: string | undefined
}

/**
 * TLS on a byte stream to a server, which ends with it.
 *
 * @param protocols what is to be spoken, as ALPN names it. @default nothing is said of it
 */
export function tlsOver(
  stream: Duplex,
  { certificate, certificateAuthority, key, serverName }: TlsPeers,
  protocols: string[] = [],
): TLSSocket {
  const socket = connect({
    socket: stream,
    servername: serverName,
    ca: certificateAuthority,
    cert: certificate,
    key,
    // Said, because NODE_TLS_REJECT_UNAUTHORIZED=0 in somebody's environment would switch it off.
    rejectUnauthorized: true,
    ...(protocols.length === 0 ? {} : { ALPNProtocols: protocols }),
  })
  return socket.once('close', () => stream.destroy())
}
