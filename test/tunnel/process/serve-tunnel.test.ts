import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { VplaneError } from '../../../src/shared/errors.ts'
import { chooseLastingPorts, isFree } from '../../../src/shared/network/ports.ts'
import { processTableOf } from '../../../src/shared/processes/process-table-of.ts'
import type { Dial } from '../../../src/tunnel/connections/dial.ts'
import { serveTunnel, type ServeOptions } from '../../../src/tunnel/process/serve-tunnel.ts'
import { tunnelFolder } from '../../../src/tunnel/record/tunnel-folder.ts'
import { readTunnel, writeSettings } from '../../../src/tunnel/record/tunnel-record.ts'
import {
  answeredClient,
  answerTo,
  connectTo,
  inTurn,
  refused,
  startTcpServer,
} from '../tcp-server.ts'
import { DEV } from '../tunnel-machine.ts'

const LOGIN = new VplaneError('FAILED', 'login to the host cluster "prod" is needed', {
  hints: ['aws sso login'],
})

const { signal } = new AbortController()
/** Options of a tunnel that gets to nothing. */
const UNUSED = {
  open: () => Promise.reject(new Error('unused')),
  table: processTableOf(process.platform),
  stop: signal,
  handOver: signal,
  log: () => {},
}

test('connects to the host for the first client, and only once', async () => {
  await using tunnel = await servedTunnel()
  expect(tunnel.open).not.toHaveBeenCalled()

  await answerTo(await connectTo(tunnel.port), 'one')
  await answerTo(await connectTo(tunnel.port), 'two')

  expect(tunnel.open).toHaveBeenCalledOnce()
})

test('ends after a long time without connections', async () => {
  await using tunnel = await servedTunnel({ idleTimeoutMs: 60 })

  expect(await tunnel.end).toBe('idle')

  expect(await isFree(tunnel.port)).toBe(true)
  expect(readTunnel(tunnel.folder)).toMatchObject({ port: tunnel.port })
  expect(readTunnel(tunnel.folder)?.process).toBeUndefined()
})

test('ignores clients that only check whether it listens', async () => {
  await using tunnel = await servedTunnel({ idleTimeoutMs: 1000 })
  const looker = await connectTo(tunnel.port)

  expect(await tunnel.end).toBe('idle')

  looker.destroy()
})

test('ends at once with its connections when it is stopped', async () => {
  await using tunnel = await servedTunnel()
  const client = await answeredClient(tunnel.port)
  const end = once(client, 'end')

  tunnel.stop.abort()

  expect(await tunnel.end).toBe('stopped')
  await end
})

test('stops listening when it is replaced, and ends with its last connection', async () => {
  await using tunnel = await servedTunnel()
  const client = await answeredClient(tunnel.port)

  tunnel.handOver.abort()

  await expect.poll(() => readTunnel(tunnel.folder)?.process).toBeUndefined()
  expect(await isFree(tunnel.port)).toBe(true)
  expect(await answerTo(client, 'still there')).toBe('still there')
  expect(await tunnel.end).toBe('replaced')
})

test('ends while it waits for its last connection when it is stopped', async () => {
  await using tunnel = await servedTunnel()
  const client = await answeredClient(tunnel.port)
  tunnel.handOver.abort()
  await expect.poll(() => readTunnel(tunnel.folder)?.process).toBeUndefined()

  tunnel.stop.abort()

  expect(await tunnel.end).toBe('replaced')
  client.destroy()
})

test('records that a login is needed, and refuses clients from then on', async () => {
  await using tunnel = await servedTunnel({ dials: [failing(LOGIN)] })

  expect(await answerTo(await connectTo(tunnel.port), 'hello')).toBe('ECONNRESET')

  expect(await tunnel.end).toBe('failed')
  expect(await isFree(tunnel.port)).toBe(true)
  expect(readTunnel(tunnel.folder)?.problem).toEqual({
    message: 'login to the host cluster "prod" is needed',
    hints: ['aws sso login'],
    at: expect.any(Date),
  })
})

test('continues open connections when a login is needed', async () => {
  const dials: Dial[] = []
  await using tunnel = await servedTunnel({ dials })
  const client = await answeredClient(tunnel.port)
  dials.push(failing(LOGIN))

  expect(await answerTo(await connectTo(tunnel.port), 'hello')).toBe('ECONNRESET')

  expect(await answerTo(client, 'still there')).toBe('still there')
  expect(await tunnel.end).toBe('failed')
})

test('removes an old problem when it is started again', async () => {
  await using first = await servedTunnel({ dials: [failing(LOGIN)] })
  await answerTo(await connectTo(first.port), 'hello')
  await first.end

  await using second = await servedTunnel({ root: first.folder.root })

  expect(readTunnel(second.folder)?.problem).toBeUndefined()
})

test('leaves nothing behind when its plane no longer exists', async () => {
  const gone = new VplaneError('CONTROL_PLANE_NOT_FOUND', '"dev" is not there any more')
  await using tunnel = await servedTunnel({ dials: [failing(gone)] })

  expect(await answerTo(await connectTo(tunnel.port), 'hello')).toBe('ECONNRESET')

  expect(await tunnel.end).toBe('gone')
  expect(existsSync(tunnel.folder.root)).toBe(false)
})

test('continues after a transient failure', async () => {
  await using tunnel = await servedTunnel({ dials: [refused] })

  expect(await answerTo(await connectTo(tunnel.port), 'hello')).toBe('hello')
})

test('is the only one for its folder', async () => {
  await using tunnel = await servedTunnel()
  const second = serveTunnel({ ...UNUSED, folder: tunnel.folder, stop: AbortSignal.timeout(100) })

  await expect(second).rejects.toMatchObject({
    message: 'interrupted while waiting for the tunnel to "dev" that listens now',
  })
})

test('reports that there is nothing to serve', async () => {
  const serving = serveTunnel({ ...UNUSED, folder: tunnelFolder('/nonexistent') })

  const message = 'there is no tunnel in /nonexistent'
  await expect(serving).rejects.toMatchObject({ code: 'NOT_FOUND', message })
})

function failing(reason: Error): Dial {
  return () => Promise.reject(reason)
}

interface ServedOptions {
  idleTimeoutMs?: number
  /** What is dialled before the plane is. */
  dials?: Dial[]
  root?: string
}

async function servedTunnel({
  dials = [],
  idleTimeoutMs = 60_000,
  root = mkdtempSync(join(tmpdir(), 'vplane-serve-')),
}: ServedOptions = {}) {
  const server = await startTcpServer()
  const folder = tunnelFolder(root)
  const [port = 0] = await chooseLastingPorts(1, new Set())
  const host = { files: [], environment: {} }
  const stored = { writtenBy: '1.0.0', plane: DEV, address: '127.0.0.1', revision: 'one' }
  await writeSettings(folder, { ...stored, host, idleTimeoutMs, port })
  const [stop, handOver] = [new AbortController(), new AbortController()]
  const log = vi.fn<(line: string) => void>()
  const open = vi.fn<ServeOptions['open']>(async () => ({
    dial: inTurn(dials, server.dial),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  }))
  const signals = { stop: stop.signal, handOver: handOver.signal }
  const end = serveTunnel({ ...UNUSED, ...signals, folder, open, log })
  await expect.poll(() => log).toHaveBeenCalledWith(`listens on 127.0.0.1:${port}`)
  return {
    folder,
    port,
    stop,
    handOver,
    open,
    end,
    [Symbol.asyncDispose]: async () => {
      stop.abort()
      await end
      await server[Symbol.asyncDispose]()
      rmSync(root, { recursive: true, force: true })
    },
  }
}
