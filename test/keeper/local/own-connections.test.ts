import { once } from 'node:events'
import { Agent, get } from 'node:https'
import { connect, createServer, type Socket } from 'node:net'
import { expect, test } from 'vitest'
import { OwnConnections } from '../../../src/keeper/local/own-connections.ts'
import { listen } from '../../../src/shared/network/listen.ts'

test('knows the connections of clients of this process by their ports, also before TLS', async () => {
  using own = new OwnConnections()
  const server = createServer()
  const port = await listen(server, { address: '127.0.0.1', port: 0 })
  const connected = async () => {
    const [socket]: Socket[] = await once(server, 'connection')
    socket?.on('error', () => {})
    return { socket, port: socket?.remotePort ?? 0 }
  }

  const coming = connected()
  const request = get({ host: '127.0.0.1', port, agent: new Agent({ keepAlive: true }) })
  const failed = once(request, 'error')
  const first = await coming
  expect(own.has(first.port)).toBe(true)

  const other = connect({ host: '127.0.0.1', port })
  expect(own.has((await connected()).port)).toBe(false)

  first.socket?.destroy()
  await failed
  await expect.poll(() => own.has(first.port)).toBe(false)
  other.destroy()
  server.close()
})
