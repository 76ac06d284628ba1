import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { createServer } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { Operation } from '../../../src/control-plane/driver/operation.ts'
import { resolveSpec } from '../../../src/control-plane/spec/resolve-spec.ts'
import { StandIns } from '../../../src/keeper/local/stand-ins.ts'
import { listen } from '../../../src/shared/network/listen.ts'
import { isListening } from '../../../src/shared/network/ports.ts'
import { ALERT, clientOf } from '../../gateway/gateway-world.ts'
import { realHello } from '../../gateway/real-hello.ts'
import { storedPlane } from '../../support/driver/some-planes.ts'
import { FakePlaneApi } from '../../support/api/fake-plane-api.ts'
import { freePort } from '../../support/machine/free-port.ts'
import { tlsClientArgs } from '../../support/programs/handshakes.ts'

const spec = resolveSpec({ idle: '5m', wake: { by: 'any' } })
const plane = storedPlane('dev', { spec, desired: 'paused', idleSince: new Date() })

test.runIf(process.platform === 'linux')(
  'examines one client of a plane at a time, and those that come meanwhile wake it no second time',
  async () => {
    const port = await freePort()
    const stop = new AbortController()
    const calls: string[] = []
    const { driver, wakes, ...others } = world(port)
    await using standIns = new StandIns({
      ...others,
      driver: {
        ...driver,
        start: async () => {
          calls.push('start')
          await new Promise((resolve) => stop.signal.addEventListener('abort', resolve))
        },
      },
      wakes: {
        ...wakes,
        admit: async () => {
          calls.push('admit')
          await delay(500)
        },
      },
      sharesPorts: true,
      signal: stop.signal,
    })
    await standIns.follow([plane])
    const client = spawn(process.execPath, tlsClientArgs(port, 30))

    await expect.poll(() => calls).toContain('start')
    await delay(500)
    client.kill()
    stop.abort()

    expect(calls).toEqual(['admit', 'start'])
  },
)

test.runIf(process.platform === 'linux')(
  'examines no client of a plane whose last start has failed',
  async () => {
    const port = await freePort()
    const calls: string[] = []
    const { clients: _, wakes, ...others } = world(port)
    await using standIns = new StandIns({
      ...others,
      wakes: { ...wakes, isRefused: () => calls.push('isRefused') > 0 },
      clients: {
        wakingFrom: async () => {
          calls.push('wakingFrom')
          return undefined
        },
      },
      sharesPorts: true,
    })
    await standIns.follow([plane])
    const client = spawn(process.execPath, tlsClientArgs(port, 30))

    await expect.poll(() => calls.length).toBeGreaterThan(2)
    client.kill()

    expect(new Set(calls)).toEqual(new Set(['isRefused']))
  },
)

test.runIf(process.platform === 'linux')(
  'refuses a client after 9 s, and wakes the plane on, which serves the next one',
  async () => {
    const port = await freePort()
    const calls: string[] = []
    const started = Promise.withResolvers<void>()
    const { driver, wakes, ...others } = world(port)
    const standIns = new StandIns({
      ...others,
      driver: {
        ...driver,
        start: () => {
          calls.push('start')
          return started.promise
        },
      },
      wakes: { ...wakes, woken: async () => void calls.push('woken') },
      sharesPorts: true,
    })
    onTestFinished(() => {
      started.resolve()
      return standIns[Symbol.asyncDispose]()
    })
    await standIns.follow([plane])
    onTestFinished(() => void vi.useRealTimers())
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const [hello, first] = [await realHello(), await clientOf(port)]
    first.socket.write(hello)
    await vi.waitFor(() => expect(calls).toEqual(['start']))

    await vi.advanceTimersByTimeAsync(9000)
    vi.useRealTimers()
    await expect.poll(first.received).toEqual(ALERT)
    expect(standIns.isWaking(plane.id)).toBe(true)
    const next = await clientOf(port)
    next.socket.write(hello)
    const apiServer = createServer((socket) => socket.once('data', () => socket.end('hello')))
    onTestFinished(() => void apiServer.close())
    apiServer.listen({ host: '127.0.0.1', port, reusePort: true, exclusive: true })

    await expect.poll(() => String(next.received())).toBe('hello')
    started.resolve()
    await expect.poll(() => standIns.isWaking(plane.id)).toBe(false)
    expect(calls).toEqual(['start', 'woken'])
  },
)

test('leaves the port to one who works on the plane, and listens later', async () => {
  const port = await freePort()
  let isHeld = true
  await using standIns = new StandIns({
    ...world(port),
    tryHold: () => (isHeld ? undefined : { [Symbol.asyncDispose]: async () => {} }),
  })

  await standIns.follow([plane])
  expect(await isListening(port)).toBe(false)
  // The keeper stays.
  expect(standIns.isFor(plane.id)).toBe(true)

  isHeld = false
  await standIns.follow([plane])
  expect(await isListening(port)).toBe(true)
})

test('reports the warnings of a start', async () => {
  const message = 'its address is now another one'
  const events: unknown[] = []
  const { driver, ...others } = world(await freePort())
  const started = { ...plane, desired: 'running' } as const
  await using standIns = new StandIns({
    ...others,
    driver: {
      ...driver,
      find: async () => [started],
      start: async (_plane: unknown, { ui }: Operation) => ui.warn(message),
    },
    report: (...event) => events.push(event),
  })

  await standIns.follow([started])

  const event = { level: 'warning', reason: 'StartedWithWarning', message }
  await expect.poll(() => events).toEqual([['dev', event]])
})

test('does not listen for a plane that was started meanwhile', async () => {
  const port = await freePort()
  const { driver, ...others } = world(port)
  const started = storedPlane('dev', { spec, desired: 'running' })
  await using standIns = new StandIns({
    ...others,
    driver: { ...driver, find: async () => [{ ...started, id: plane.id }] },
  })

  await standIns.follow([plane])

  expect(await isListening(port)).toBe(false)
  expect(standIns.isFor(plane.id)).toBe(false)
})

test('takes the port of an API server that ends, also during the pause', async () => {
  const apiServer = createServer()
  const port = await listen(apiServer, { address: '127.0.0.1', port: 0 })
  await using standIns = new StandIns(world(port))

  await standIns.during(plane, { since: new Date(), isStill: async () => true }, async (idle) => {
    expect(await idle.isStill()).toBe(true)
    apiServer.close()
    await once(apiServer, 'close')
    await expect.poll(() => isListening(port)).toBe(true)
    // A list of before the pause changes nothing.
    await standIns.follow([])
    expect(await isListening(port)).toBe(true)
  })

  expect(standIns.isFor(plane.id)).toBe(true)
  expect(await isListening(port)).toBe(true)
})

test('takes no port when the API server does not end', async () => {
  const apiServer = createServer()
  const port = await listen(apiServer, { address: '127.0.0.1', port: 0 })
  await using standIns = new StandIns(world(port))

  const pausing = standIns.during(
    plane,
    { since: new Date(), isStill: async () => true },
    async (idle) => {
      await idle.isStill()
      throw new Error('no disk')
    },
  )
  await expect(pausing).rejects.toThrow('no disk')
  apiServer.close()
  await once(apiServer, 'close')

  expect(standIns.isFor(plane.id)).toBe(false)
  expect(await isListening(port)).toBe(false)
})

test('continues a start that was interrupted, and listens until the plane itself does', async () => {
  const port = await freePort()
  const { driver, ...others } = world(port)
  let stored = storedPlane('dev', { ...plane, desired: 'running' })
  let isHeld = true
  const started = Promise.withResolvers<void>()
  await using standIns = new StandIns({
    ...others,
    tryHold: () => (isHeld ? undefined : { [Symbol.asyncDispose]: async () => {} }),
    driver: { ...driver, find: async () => [stored], start: () => started.promise },
  })

  await standIns.follow([stored])
  expect(standIns.isWaking(plane.id)).toBe(false)
  isHeld = false
  await standIns.follow([stored])
  expect(standIns.isWaking(plane.id)).toBe(true)
  expect(await isListening(port)).toBe(true)

  stored = storedPlane('dev', { spec, id: plane.id, desired: 'running' })
  started.resolve()
  await expect.poll(() => standIns.isWaking(plane.id)).toBe(false)
  await standIns.follow([stored])
  expect(standIns.isFor(plane.id)).toBe(false)
  await expect.poll(() => isListening(port)).toBe(false)
})

test('has a plane sleep again whose interrupted start cannot be continued', async () => {
  const { driver, wakes, ...others } = world(await freePort())
  const interrupted = storedPlane('dev', { ...plane, desired: 'running' })
  const calls: unknown[] = []
  await using standIns = new StandIns({
    ...others,
    driver: {
      ...driver,
      find: async () => [interrupted],
      start: () => Promise.reject(new Error('etcd has ended')),
      pause: async (...[, , { idle } = {}]) => {
        calls.push(['pause', idle?.since])
      },
    },
    wakes: { ...wakes, failed: (...[, , message]) => calls.push(['failed', message]) },
  })

  await standIns.follow([interrupted])

  const { idleSince } = plane
  await expect
    .poll(() => calls)
    .toEqual([
      ['pause', idleSince],
      ['failed', 'etcd has ended'],
    ])
})

test('reports no failure of a start that the end of the keeper interrupts', async () => {
  const { driver, wakes, ...others } = world(await freePort())
  const interrupted = storedPlane('dev', { ...plane, desired: 'running' })
  const stop = new AbortController()
  const failures: unknown[] = []
  const standIns = new StandIns({
    ...others,
    driver: {
      ...driver,
      find: async () => [interrupted],
      start: async (_plane, { signal }) => {
        await once(signal, 'abort')
        throw signal.reason
      },
    },
    wakes: { ...wakes, failed: (...failure) => failures.push(failure) },
    signal: stop.signal,
  })
  await standIns.follow([interrupted])
  expect(standIns.isWaking(plane.id)).toBe(true)

  stop.abort()
  await standIns[Symbol.asyncDispose]()

  expect(standIns.isWaking(plane.id)).toBe(false)
  expect(failures).toEqual([])
})

/** A machine without port sharing, and a plane on it. */
function world(port: number) {
  return {
    driver: {
      endpoint: async () => ({ server: `https://127.0.0.1:${port}`, certificateAuthority: '' }),
      find: async () => [plane],
      start: async () => {},
      isRunning: async () => false,
      pause: async () => {},
    },
    wakes: {
      isRefused: () => false,
      admit: async () => {},
      failed: () => {},
      woken: async () => {},
    },
    clients: { wakingFrom: async () => undefined },
    sharesPorts: false,
    tryHold: (): AsyncDisposable | undefined => ({ [Symbol.asyncDispose]: async () => {} }),
    openApi: () => new FakePlaneApi(),
    log: () => {},
    report: () => {},
    signal: new AbortController().signal,
  }
}
