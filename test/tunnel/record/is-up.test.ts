import { once } from 'node:events'
import { createServer } from 'node:net'
import { expect, test } from 'vitest'
import { isUp, tunnelServer } from '../../../src/tunnel/record/is-up.ts'
import type { TunnelRecord } from '../../../src/tunnel/record/tunnel-record.ts'
import { listenOnLoopback } from '../../support/api/fake-api-server.ts'
import { DEV } from '../tunnel-machine.ts'

test.for([
  ['127.0.0.1', 'https://127.0.0.1:21443'],
  ['0.0.0.0', 'https://127.0.0.1:21443'],
  ['::', 'https://127.0.0.1:21443'],
  ['localhost', 'https://127.0.0.1:21443'],
  ['192.0.2.7', 'https://192.0.2.7:21443'],
  ['2001:db8::7', 'https://[2001:db8::7]:21443'],
] as const)('finds a tunnel that listens on %s', ([address, server]) => {
  expect(tunnelServer({ address, port: 21_443 })).toBe(server)
})

test('reports a tunnel as up when its process runs and its port answers', async () => {
  const server = createServer()
  const port = await listenOnLoopback(server)

  expect(await isUp(recordOf(port, process.pid))).toBe(true)
  expect(await isUp(recordOf(port, 2 ** 22 + 1))).toBe(false)
  expect(await isUp(recordOf(port, undefined))).toBe(false)

  server.close()
  await once(server, 'close')
  expect(await isUp(recordOf(port, process.pid))).toBe(false)
})

function recordOf(port: number, processId: number | undefined): TunnelRecord {
  const settings = {
    formatVersion: 1,
    writtenBy: '1.0.0',
    plane: DEV,
    address: '127.0.0.1',
    port,
    host: { files: [], environment: {} },
    idleTimeoutMs: 1000,
    revision: 'one',
  }
  if (processId === undefined) {
    return settings
  }
  const started = { startTime: '1', bootId: 'boot', startedAt: '2026-01-01T00:00:00.000Z' }
  return { ...settings, process: { formatVersion: 1, processId, ...started, revision: 'one' } }
}
