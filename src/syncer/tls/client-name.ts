import type { IncomingMessage } from 'node:http'
import { TLSSocket } from 'node:tls'

/** The common name in the client's certificate, which TLS has checked; several are as good as none. */
export function clientNameOf({ socket }: IncomingMessage): string | undefined {
  const name: unknown =
    socket instanceof TLSSocket && socket.authorized
      ? socket.getPeerCertificate().subject?.CN
      : undefined
  return typeof name === 'string' ? name : undefined
}
