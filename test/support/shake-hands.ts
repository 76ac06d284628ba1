import { connect } from 'node:tls'

/** Connects by TLS, and trusts anybody: the bytes matter, not the identity. */
export async function shakeHands(port: number): Promise<void> {
  const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false })
  try {
    await new Promise<void>((resolve, reject) => {
      socket.once('secureConnect', resolve)
      socket.once('error', reject)
    })
  } finally {
    socket.destroy()
  }
}
