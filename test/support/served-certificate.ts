import { once } from 'node:events'
import { connect } from 'node:tls'

/** The serial number of the certificate that a server shows the clients of an address now. */
export async function servedCertificate(url: string): Promise<string> {
  const { hostname, port } = new URL(url)
  // It is looked at, and nothing is said to it.
  const socket = connect({ host: hostname, port: Number(port), rejectUnauthorized: false })
  try {
    await once(socket, 'secureConnect', { signal: AbortSignal.timeout(10_000) })
    return socket.getPeerCertificate().serialNumber
  } finally {
    socket.destroy()
  }
}
