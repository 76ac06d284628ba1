import { isIP } from 'node:net'
import type { Duplex } from 'node:stream'
import { connect, type TLSSocket } from 'node:tls'

export interface TlsPeers {
  serverName: string
  /** CA bundle, PEM. */
  certificateAuthority: string
  /** Client certificate, PEM; with `key`. @default none */
  certificate?: string | undefined
  key?: string | undefined
}

/** Opens TLS, with these protocols for ALPN, on a stream to a server; the stream ends with it. */
export function tlsOver(
  stream: Duplex,
  { certificate, certificateAuthority, key, serverName }: TlsPeers,
  protocols: string[] = [],
): TLSSocket {
  const socket = connect({
    socket: stream,
    // TLS has no names that are addresses: only the certificate is compared with one.
    ...(isIP(serverName) === 0 ? { servername: serverName } : { host: serverName }),
    ca: certificateAuthority,
    cert: certificate,
    key,
    // Explicit, because NODE_TLS_REJECT_UNAUTHORIZED=0 in the user's environment would switch it off.
    rejectUnauthorized: true,
    ...(protocols.length === 0 ? {} : { ALPNProtocols: protocols }),
  })
  return socket.once('close', () => stream.destroy())
}
