import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { expect, test } from 'vitest'
import { chooseLastingPorts, isFree, isListening } from '../../../src/shared/network/ports.ts'
import { listenOnLoopback } from '../../support/api/fake-api-server.ts'

test('chooses different free ports', async () => {
  const ports = await chooseLastingPorts(4, new Set())

  expect(new Set(ports).size).toBe(4)
  expect(await Promise.all(ports.map((port) => isFree(port)))).toEqual([true, true, true, true])
})

test('stays below the ports of outgoing connections', async () => {
  const ports = await chooseLastingPorts(4, new Set())

  const first = firstEphemeralPort()
  expect(ports.filter((port) => port < 20_000 || port >= first)).toEqual([])
})

test('reports that there is no free port', async () => {
  const taken = new Set(Array.from({ length: 12_768 }, (_, index) => 20_000 + index))

  await expect(chooseLastingPorts(1, taken)).rejects.toMatchObject({
    code: 'FAILED',
    message: expect.stringMatching(/^no free ports between 20000 and \d+$/),
  })
})

test.for(['127.0.0.1', '0.0.0.0'])('detects a program that listens on %s', async (host) => {
  const [port = 0] = await chooseLastingPorts(1, new Set())
  const server = createServer().listen(port, host)
  await once(server, 'listening')

  expect([await isFree(port), await isListening(port)]).toEqual([false, true])

  server.close()
  await once(server, 'close')
  expect([await isFree(port), await isListening(port)]).toEqual([true, false])
})

test.skipIf(process.platform === 'darwin')('looks at the address that it is told', async () => {
  const [port = 0] = await chooseLastingPorts(1, new Set())
  const server = createServer().listen(port, '127.0.0.2')
  await once(server, 'listening')

  expect([await isFree(port, '127.0.0.2'), await isFree(port)]).toEqual([false, true])

  server.close()
  await once(server, 'close')
})

test('does not mistake closing connections for a listening program', async () => {
  const server = createServer((socket) => socket.on('error', () => {}).end('bye'))
  const port = await listenOnLoopback(server)
  expect(await isListening(port)).toBe(true)

  server.close()
  await once(server, 'close')

  expect(await isFree(port)).toBe(true)
})

function firstEphemeralPort(): number {
  try {
    const range = readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8')
    return Number.parseInt(range, 10)
  } catch {
    // macOS.
    return 49_152
  }
}
