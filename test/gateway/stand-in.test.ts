import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { Connections } from '../../src/gateway/connections.ts'
import { StandIn, type StandInOptions, type WakingClient } from '../../src/gateway/stand-in.ts'
import { countListeners } from '../../src/shared/network/socket-table.ts'
import { askForPort } from '../../src/shared/network/ask-for-port.ts'
import { listen } from '../../src/shared/network/listen.ts'
import { realHello } from './real-hello.ts'

const HOST = '127.0.0.1'

/** A fatal alert with the description internal_error. */
const ALERT = [21, 3, 3, 0, 2, 2, 80]

// Only Linux distributes the connections of a port among the programs that share it.
describe.runIf(process.platform === 'linux')('StandIn', () => {
  const cleanups: Array<() => unknown> = []
  afterEach(async () => {
    vi.useRealTimers()
    for (const cleanup of cleanups.splice(0).toReversed()) {
      await cleanup()
    }
  })

  test('has the plane woken, and passes all bytes through', async () => {
    const world = await standIn()
    const hello = await realHello({ servername: 'dev' })
    const client = await clientOf(world.port)
    client.write(hello)
    await expect.poll(() => world.woken).toMatchObject([{ address: HOST, serverName: 'dev' }])

    const plane = await world.startPlane()
    client.write('more')
    await expect.poll(() => plane.received()).toEqual(Buffer.concat([hello, Buffer.from('more')]))
    plane.answer('answer')
    const [answer]: Buffer[] = await once(client, 'data')

    expect(String(answer)).toBe('answer')
    expect(world.standIn.isListening).toBe(false)
    expect(world.woken).toHaveLength(1)
  })

  test('gives no connection to a plane that is not ready', async () => {
    const world = await standIn({ isReady: false })
    const client = await clientOf(world.port)
    client.write(await realHello())
    const plane = await world.startPlane()
    await expect.poll(() => world.probes()).toBeGreaterThan(3)
    expect(plane.received()).toHaveLength(0)

    world.becomeReady()

    await expect.poll(() => plane.received().length).toBeGreaterThan(0)
  })

  test('lets an API server that starts connect to itself, which wakes nothing', async () => {
    const world = await standIn({ isReady: false })
    const client = await clientOf(world.port)
    client.write(await realHello({ servername: 'apiserver-loopback-client' }))

    const plane = await world.startPlane()

    await expect.poll(() => plane.received().length).toBeGreaterThan(0)
    expect(world.woken).toEqual([])
  })

  test('wakes nothing for what is not TLS, or says nothing', async () => {
    const world = await standIn()
    const silent = await clientOf(world.port)
    const plain = await clientOf(world.port)
    plain.write('GET / HTTP/1.1\r\n\r\n')
    await once(plain, 'close')
    silent.end()
    await once(silent, 'close')

    expect(world.woken).toEqual([])
    expect(world.standIn.isListening).toBe(true)
  })

  test('drops those that say nothing for a client that speaks, whatever their planes', async () => {
    const connections = new Connections({ held: 5 })
    const other = await standIn({ connections })
    const world = await standIn({ connections })
    const silent = await Promise.all(Array.from({ length: 5 }, () => clientOf(other.port)))
    const closed = silent.map((client) => once(client, 'close'))
    const client = await clientOf(world.port)
    client.write(await realHello())

    await expect.poll(() => world.woken).toHaveLength(1)
    await Promise.race(closed)

    expect(silent.filter(({ destroyed }) => destroyed)).toHaveLength(1)
    expect(client.destroyed).toBe(false)
  })

  test('refuses clients with an alert when the plane cannot be woken', async () => {
    const world = await standIn({ failure: new Error('no disk') })
    const client = await clientOf(world.port)
    client.write(await realHello())

    const [alert]: Buffer[] = await once(client, 'data')

    expect([...(alert ?? [])]).toEqual(ALERT)
    expect(world.standIn.isListening).toBe(true)
  })

  test('refuses a client after 9 s, while the plane continues to wake', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const world = await standIn()
    const client = await clientOf(world.port)
    client.write(await realHello())
    await vi.waitFor(() => expect(world.woken).toHaveLength(1))
    const answered = once(client, 'data')
    await vi.advanceTimersByTimeAsync(8900)
    expect(client.bytesRead).toBe(0)

    await vi.advanceTimersByTimeAsync(200)

    const [alert]: Buffer[] = await answered
    expect([...(alert ?? [])]).toEqual(ALERT)
  })

  test('loses no client that connects while the plane takes over', async () => {
    const world = await standIn()
    const hello = await realHello()
    const clients = await Promise.all(Array.from({ length: 50 }, () => clientOf(world.port)))
    clients.forEach((client) => client.write(hello))
    const plane = await world.startPlane()
    const later = await Promise.all(Array.from({ length: 50 }, () => clientOf(world.port)))
    later.forEach((client) => client.write(hello))

    await expect.poll(() => plane.received().length).toBe(100 * hello.length)

    expect([...clients, ...later].filter(({ destroyed }) => destroyed)).toEqual([])
  })

  test('cannot take the port of another program', async () => {
    const other = createServer()
    cleanups.push(() => other.close())
    const port = await listen(other, { address: HOST, port: 0 })

    await expect(standIn({ port })).rejects.toThrow('EADDRINUSE')
  })

  test('gives a port that is not shared to one who asks, and passes on the clients that came before', async () => {
    const world = await standIn({ isReady: false, sharesPort: false })
    const hello = await realHello()
    const clients = await Promise.all(Array.from({ length: 50 }, () => clientOf(world.port)))
    clients.forEach((client) => client.write(hello))

    expect(await askForPort(world.port, 5000)).toBe(true)
    const plane = await world.startPlane()
    world.becomeReady()

    await expect.poll(() => plane.received().length).toBe(50 * hello.length)
    expect(world.woken).toHaveLength(50)
  })

  test.for([{ isToLeave: false, sharesPort: false }, { sharesPort: true }])(
    'keeps its port when it is not to leave: %j',
    async (setup) => {
      const world = await standIn(setup)

      expect(await askForPort(world.port, 100)).toBe(false)

      expect(world.standIn.isListening).toBe(true)
      expect(world.woken).toEqual([])
    },
  )

  interface Setup {
    connections?: Connections
    failure?: Error
    isReady?: boolean
    isToLeave?: boolean
    sharesPort?: boolean
    port?: number
  }

  async function standIn({
    connections = new Connections(),
    failure,
    isReady = true,
    isToLeave = true,
    port = 0,
    sharesPort = true,
  }: Setup = {}) {
    const woken: WakingClient[] = []
    let status = isReady ? 200 : 500
    let probes = 0
    const free = port === 0 ? await freePort() : port
    const options: StandInOptions = {
      plane: 'dev',
      connections,
      host: HOST,
      port: free,
      wake: async (client) => {
        woken.push(client)
        if (failure !== undefined) {
          throw failure
        }
      },
      sharesPort,
      isServed: async () => (await countListeners(free)) > 1,
      isToLeave: async () => isToLeave,
      readyPath: '/readyz',
      openApi: () => ({
        text: async () => {
          probes += 1
          return { status }
        },
        [Symbol.asyncDispose]: async () => {},
      }),
      log: () => {},
    }
    const started = await StandIn.listen(options)
    cleanups.push(() => started[Symbol.asyncDispose]())
    return {
      standIn: started,
      port: free,
      woken,
      probes: () => probes,
      becomeReady: () => {
        status = 200
      },
      startPlane: () => startPlane(free),
    }
  }

  /** What shares the port, as an API server does. */
  async function startPlane(port: number) {
    const sockets: Socket[] = []
    const received: Buffer[] = []
    const server = createServer((socket) => {
      sockets.push(socket)
      socket.on('data', (bytes) => received.push(bytes))
      socket.on('error', () => {})
    })
    server.listen({ host: HOST, port, reusePort: true, exclusive: true })
    await once(server, 'listening')
    cleanups.push(() => closeAll(server, sockets))
    return {
      received: () => Buffer.concat(received),
      answer: (text: string) => sockets.forEach((socket) => socket.write(text)),
    }
  }

  async function clientOf(port: number): Promise<Socket> {
    const client = connect({ host: HOST, port })
    client.on('error', () => {})
    cleanups.push(() => client.destroy())
    await once(client, 'connect')
    return client
  }
})

async function freePort(): Promise<number> {
  const server = createServer()
  const port = await listen(server, { address: HOST, port: 0 })
  server.close()
  await once(server, 'close')
  return port
}

function closeAll(server: Server, sockets: readonly Socket[]): void {
  sockets.forEach((socket) => socket.destroy())
  server.close()
}
