import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { VplaneError } from '../../../src/shared/errors.ts'
import { chooseLastingPorts, isFree } from '../../../src/shared/network/ports.ts'
import { processTableOf } from '../../../src/shared/processes/process-table-of.ts'
import type { Dial } from '../../../src/tunnel/connections/dial.ts'
import { serveTunnel, type TunnelEnd } from '../../../src/tunnel/process/serve-tunnel.ts'
import { type TunnelFolder, tunnelFolder } from '../../../src/tunnel/record/tunnel-folder.ts'
import {
  readTunnel,
  type TunnelSettings,
  writeSettings,
} from '../../../src/tunnel/record/tunnel-record.ts'
import { answerTo, connectTo, startTcpServer, type TcpServer } from '../tcp-server.ts'
import { DEV } from '../tunnel-machine.ts'

const LOGIN = new VplaneError('FAILED', 'login to the host cluster "prod" is needed', {
  hints: ['aws sso login'],
})

test('connects to the host for the first client, and only once', async () => {
  await using tunnel = await servedTunnel()
  expect(tunnel.opened).toBe(0)

  await answerTo(await connectTo(tunnel.port), 'one')
  await answerTo(await connectTo(tunnel.port), 'two')

  expect(tunnel.opened).toBe(1)
})

test('ends after a long time without connections', async () => {
  await using tunnel = await servedTunnel({ idleTimeoutMs: 60 })

  expect(await tunnel.end).toBe('idle')

  expect(await isFree(tunnel.port)).toBe(true)
  expect(readTunnel(tunnel.folder)).toMatchObject({ port: tunnel.port })
  expect(readTunnel(tunnel.folder)?.process).toBeUndefined()
})

test('ignores clients that only check whether it listens', async () => {
  await using tunnel = await servedTunnel({ idleTimeoutMs: 100 })
  const looker = await connectTo(tunnel.port)

  expect(await tunnel.end).toBe('idle')

  looker.destroy()
})

test('ends at once with its connections when it is stopped', async () => {
  await using tunnel = await servedTunnel()
  const client = await connectTo(tunnel.port)
  client.write('hello')
  await once(client, 'data')
  const end = once(client, 'end')

  tunnel.stop.abort()

  expect(await tunnel.end).toBe('stopped')
  await end
})

test('stops listening when it is replaced, and ends with its last connection', async () => {
  await using tunnel = await servedTunnel()
  const client = await connectTo(tunnel.port)
  client.write('hello')
  await once(client, 'data')

  tunnel.handOver.abort()

  await expect.poll(() => readTunnel(tunnel.folder)?.process).toBeUndefined()
  expect(await isFree(tunnel.port)).toBe(true)
  expect(await answerTo(client, 'still there')).toBe('still there')
  expect(await tunnel.end).toBe('replaced')
})

test('ends while it waits for its last connection when it is stopped', async () => {
  await using tunnel = await servedTunnel()
  const client = await connectTo(tunnel.port)
  client.write('hello')
  await once(client, 'data')
  tunnel.handOver.abort()
  await expect.poll(() => readTunnel(tunnel.folder)?.process).toBeUndefined()

  tunnel.stop.abort()

  expect(await tunnel.end).toBe('replaced')
  client.destroy()
})

test('records that a login is needed, and refuses clients from then on', async () => {
  const dials: Dial[] = [() => Promise.reject(LOGIN)]
  await using tunnel = await servedTunnel({ dials })

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
  const client = await connectTo(tunnel.port)
  client.write('hello')
  await once(client, 'data')
  dials.push(() => Promise.reject(LOGIN))

  expect(await answerTo(await connectTo(tunnel.port), 'hello')).toBe('ECONNRESET')

  expect(await answerTo(client, 'still there')).toBe('still there')
  expect(await tunnel.end).toBe('failed')
})

test('removes an old problem when it is started again', async () => {
  const dials: Dial[] = [() => Promise.reject(LOGIN)]
  await using first = await servedTunnel({ dials })
  await answerTo(await connectTo(first.port), 'hello')
  await first.end

  await using second = await servedTunnel({ root: first.folder.root })

  expect(readTunnel(second.folder)?.problem).toBeUndefined()
})

test('leaves nothing behind when its plane no longer exists', async () => {
  const gone = new VplaneError('CONTROL_PLANE_NOT_FOUND', '"dev" is not there any more')
  await using tunnel = await servedTunnel({ dials: [() => Promise.reject(gone)] })

  expect(await answerTo(await connectTo(tunnel.port), 'hello')).toBe('ECONNRESET')

  expect(await tunnel.end).toBe('gone')
  expect(existsSync(tunnel.folder.root)).toBe(false)
})

test('continues after a transient failure', async () => {
  const dials: Dial[] = [() => Promise.reject(new VplaneError('UNREACHABLE', 'no pod is ready'))]
  await using tunnel = await servedTunnel({ dials })

  expect(await answerTo(await connectTo(tunnel.port), 'hello')).toBe('hello')
})

test('is the only one for its folder', async () => {
  await using tunnel = await servedTunnel()
  const { signal } = new AbortController()
  const second = serveTunnel({
    folder: tunnel.folder,
    open: () => Promise.reject(new Error('unused')),
    table: processTableOf(process.platform),
    stop: AbortSignal.timeout(100),
    handOver: signal,
    log: () => {},
  })

  await expect(second).rejects.toMatchObject({
    message: 'interrupted while waiting for the tunnel to "dev" that listens now',
  })
})

test('reports that there is nothing to serve', async () => {
  const { signal } = new AbortController()

  await expect(
    serveTunnel({
      folder: tunnelFolder('/nonexistent'),
      open: () => Promise.reject(new Error('unused')),
      table: processTableOf(process.platform),
      stop: signal,
      handOver: signal,
      log: () => {},
    }),
  ).rejects.toMatchObject({ code: 'NOT_FOUND', message: 'there is no tunnel in /nonexistent' })
})

interface ServedTunnel extends AsyncDisposable {
  folder: TunnelFolder
  port: number
  stop: AbortController
  handOver: AbortController
  end: Promise<TunnelEnd>
  opened: number
}

interface ServedOptions extends Partial<Pick<TunnelSettings, 'idleTimeoutMs'>> {
  /** What is dialled before the plane is. */
  dials?: Dial[]
  root?: string
}

async function servedTunnel({
  dials = [],
  idleTimeoutMs = 60_000,
  root = mkdtempSync(join(tmpdir(), 'vplane-serve-')),
}: ServedOptions = {}): Promise<ServedTunnel> {
  const server: TcpServer = await startTcpServer()
  const folder = tunnelFolder(root)
  const [port = 0] = await chooseLastingPorts(1, new Set())
  const host = { files: [], environment: {} }
  const stored = { writtenBy: '1.0.0', plane: DEV, address: '127.0.0.1', revision: 'one' }
  await writeSettings(folder, { ...stored, host, idleTimeoutMs, port })
  const lines: string[] = []
  const [stop, handOver] = [new AbortController(), new AbortController()]
  const tunnel: ServedTunnel = {
    folder,
    port,
    stop,
    handOver,
    opened: 0,
    end: serveTunnel({
      folder,
      open: async () => {
        tunnel.opened += 1
        return {
          dial: (signal) => (dials.shift() ?? server.dial)(signal),
          [Symbol.asyncDispose]: () => Promise.resolve(),
        }
      },
      table: processTableOf(process.platform),
      stop: stop.signal,
      handOver: handOver.signal,
      log: (line) => lines.push(line),
    }),
    [Symbol.asyncDispose]: async () => {
      stop.abort()
      await tunnel.end
      await server[Symbol.asyncDispose]()
      rmSync(root, { recursive: true, force: true })
    },
  }
  await expect.poll(() => lines).toContain(`listens on 127.0.0.1:${port}`)
  return tunnel
}
