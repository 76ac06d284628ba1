import { once } from 'node:events'
import { createServer } from 'node:net'
import { expect, test } from 'vitest'
import { askForPort } from '../../../src/shared/network/ask-for-port.ts'
import { listen } from '../../../src/shared/network/listen.ts'

test('returns at once when a port is free', async () => {
  const server = createServer()
  const port = await listen(server, { address: '127.0.0.1', port: 0 })
  server.close()
  await once(server, 'close')

  expect(await askForPort(port, 0)).toBe(true)
})

test('gives up on a program that does not leave', async () => {
  let asked = 0
  const server = createServer((socket) => {
    asked += 1
    socket.on('error', () => {}).destroy()
  })
  const port = await listen(server, { address: '127.0.0.1', port: 0 })

  expect(await askForPort(port, 200)).toBe(false)

  expect(asked).toBeGreaterThan(1)
  server.close()
})
