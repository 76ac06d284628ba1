import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { connect, type ConnectionOptions } from 'node:tls'
import { listen } from '../../src/shared/network/listen.ts'

/** What a TLS client of Node sends first. */
export async function realHello(options: ConnectionOptions = {}): Promise<Buffer> {
  const server = createServer()
  const host = '127.0.0.1'
  const place = { host, port: await listen(server, { address: host, port: 0 }) }
  const client = connect({ ...options, ...place, rejectUnauthorized: false })
  client.on('error', () => {})
  try {
    const [socket]: Socket[] = await once(server, 'connection')
    const [bytes]: Buffer[] = await once(socket ?? client, 'data')
    return bytes ?? Buffer.alloc(0)
  } finally {
    client.destroy()
    server.close()
  }
}
