import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import { listenOnLoopback } from '../../support/api/fake-api-server.ts'

/** Both ends of a connection of which either direction can end alone. */
export async function connectedPair() {
  const server = createServer({ allowHalfOpen: true })
  const port = await listenOnLoopback(server)
  const far = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  const [near]: Socket[] = await once(server, 'connection')
  if (near === undefined) {
    throw new Error('no connection')
  }
  far.on('error', () => {})
  near.on('error', () => {})
  onTestFinished(async () => {
    near.destroy()
    far.destroy()
    await once(server.close(), 'close')
  })
  return { near, far }
}
