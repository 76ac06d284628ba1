import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { isUp, tunnelServer } from '../../src/tunnel/is-up.ts'
import type { TunnelRecord } from '../../src/tunnel/tunnel-record.ts'

const server = createServer((socket) => socket.destroy())
let port: number

beforeAll(async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  port = typeof address === 'object' && address !== null ? address.port : 0
})
afterAll(() => server.close())

const STARTED = { formatVersion: 1, startTime: '1', bootId: 'boot', startedAt: '' } as const

const recordOf = (processId: number): TunnelRecord => ({
  formatVersion: 1,
  writtenBy: '1.2.3',
  plane: { name: 'dev', driver: 'kubernetes' },
  address: '127.0.0.1',
  port,
  host: { files: [], environment: {} },
  idleTimeoutMs: 1000,
  revision: 'one',
  process: { ...STARTED, processId, revision: 'one' },
})

test('is up when its process is there and its port answers', async () => {
  expect(await isUp(recordOf(process.pid))).toBe(true)
})

test('is not up when nothing was started', async () => {
  const { process: _, ...record } = recordOf(process.pid)

  expect(await isUp(record)).toBe(false)
})

test.skipIf(process.platform !== 'linux')(
  'is not up when its process is dead and nobody has noticed, whoever has its port now',
  async () => {
    // The shell becomes a program that knows nothing of the child it is given.
    const script = 'sleep 0 & echo $!; exec sleep 60'
    const parent = spawn('/bin/sh', ['-c', script], { stdio: ['ignore', 'pipe', 'ignore'] })
    const [text] = await once(parent.stdout, 'data')

    await expect.poll(() => isUp(recordOf(Number(String(text))))).toBe(false)

    expect(process.kill(Number(String(text)), 0)).toBe(true)
    parent.kill('SIGKILL')
  },
)

test.for([
  ['127.0.0.1', 'https://127.0.0.1:21000'],
  ['0.0.0.0', 'https://127.0.0.1:21000'],
  ['::1', 'https://[::1]:21000'],
])('is found at %s by %s', ([address, server]) => {
  expect(tunnelServer({ address: address ?? '', port: 21_000 })).toBe(server)
})
