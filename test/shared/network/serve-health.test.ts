import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { serveHealth } from '../../../src/shared/network/serve-health.ts'
import { freePort } from '../../support/machine/free-port.ts'

test('answers while a thousand silent connections come, and keeps at most a hundred', async () => {
  const port = await freePort()
  await using _health = await serveHealth({ port, isReady: () => true, metrics: () => '' })
  const sockets: Socket[] = []
  onTestFinished(() => sockets.forEach((socket) => socket.destroy()))
  for (let batch = 0; batch < 10; batch += 1) {
    const added = Array.from({ length: 100 }, () => connect({ host: '127.0.0.1', port }))
    sockets.push(...added)
    added.forEach((socket) => socket.resume().on('error', () => {}))
    await Promise.all(added.map((socket) => once(socket, 'connect')))

    // As the kubelet, which opens a connection for each probe.
    const headers = { connection: 'close' }
    const { status } = await fetch(`http://127.0.0.1:${port}/readyz`, { headers })
    expect(status).toBe(200)
  }

  const open = () => sockets.filter(({ closed }) => !closed).length
  await expect.poll(open).toBeLessThanOrEqual(100)
})
