import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { connect as connectTls, createServer as createTlsServer } from 'node:tls'
import { describe, expect, onTestFinished, test } from 'vitest'
import { listen } from '../../src/shared/network/listen.ts'
import { createTestCertificates } from '../support/test-certificates.ts'
import { ALERT, clientOf, gatewayWorld } from './gateway-world.ts'
import { realHello } from './real-hello.ts'

const MEBIBYTE = 1024 * 1024

describe('a plane that is awake', () => {
  test('gets large bodies unchanged, and answers with them', async () => {
    const world = await gatewayWorld({ planes: { dev: 'awake' } })
    const { authority, server: own } = createTestCertificates()
    const server = createTlsServer(
      { key: own.key, cert: own.certificate, allowHalfOpen: true },
      (socket) => {
        socket.on('error', () => {})
        socket.pipe(socket)
      },
    )
    onTestFinished(() => void server.close())
    await listen(server, { address: '127.0.0.1', port: world.upstreamPortOf() })
    await expect.poll(world.isReady).toBe(true)
    const host = '127.0.0.1'
    const socket = connect({ host, port: world.portOf(), allowHalfOpen: true })
    const client = connectTls({ socket, host, ca: authority.certificate })
    onTestFinished(() => void client.destroy())
    const body = randomBytes(8 * MEBIBYTE)

    client.end(body)

    expect((await buffer(client)).equals(body)).toBe(true)
    expect(await world.figure('passed_connections_total')).toBe(1)
    expect(world.requests).toEqual([])
  })

  test('keeps its client while it refuses connections, or ends them without a byte', async () => {
    const world = await gatewayWorld({ planes: { dev: 'awake' } })
    await expect.poll(world.isReady).toBe(true)
    const client = await world.connect()
    const hello = await realHello()
    client.socket.write(hello)
    let taken = 0
    const ending = createServer((socket) => {
      taken += 1
      socket.on('error', () => {})
      socket.once('data', () => socket.resetAndDestroy())
    })
    await listen(ending, { address: '127.0.0.1', port: world.upstreamPortOf() })
    await expect.poll(() => taken).toBeGreaterThan(1)
    ending.close()
    await once(ending, 'close')

    const plane = await world.startPlane()

    await expect.poll(() => String(client.received())).toBe('hello')
    expect(plane.received()).toEqual(hello)
    expect(world.requests).toEqual([])
  })

  test('keeps connections that were passed on when it is closed', async () => {
    const world = await gatewayWorld({ planes: { dev: 'awake' } })
    const plane = await world.startPlane()
    await expect.poll(world.isReady).toBe(true)
    const client = await world.connect()
    client.socket.write(await realHello())
    await expect.poll(() => String(client.received())).toBe('hello')

    world.become(undefined)
    await expect
      .poll(() =>
        world.connect().then(
          () => true,
          () => false,
        ),
      )
      .toBe(false)
    client.socket.write('more')
    plane.sockets.forEach((socket) => socket.write(' again'))

    await expect.poll(() => String(client.received())).toBe('hello again')
    await expect.poll(() => String(plane.received())).toMatch(/more$/)
  })
})

describe('a plane that is asleep', () => {
  test('is asked for, and gets what its client said when it is awake', async () => {
    const world = await gatewayWorld()
    await expect.poll(world.isReady).toBe(true)
    const client = await world.connect()
    const hello = await realHello({ servername: 'dev' })
    client.socket.write(Buffer.concat([hello, Buffer.from('early')]))
    await expect.poll(() => world.requests).toHaveLength(1)
    expect(world.requests[0]).toEqual({
      id: 'id-of-dev',
      mark: expect.any(String),
      clients: [{ address: '127.0.0.1', serverName: 'dev' }],
    })
    expect(await world.figure('held_connections')).toBe(1)
    const plane = await world.startPlane()

    world.become('awake')
    await expect.poll(() => String(client.received())).toBe('hello')
    client.socket.write('more')

    const said = Buffer.concat([hello, Buffer.from('earlymore')])
    await expect.poll(() => plane.received().equals(said)).toBe(true)
    expect(await world.figure('held_connections')).toBe(0)
  })

  test('refuses a client with an alert when it has waited too long', async () => {
    const world = await gatewayWorld({ times: { holdMs: 100 } })
    await expect.poll(world.isReady).toBe(true)
    const client = await clientOf(world.portOf(), { allowHalfOpen: true })
    client.socket.write(await realHello())

    await once(client.socket, 'end')

    expect(client.received()).toEqual(ALERT)
    expect(await world.figure('refused_connections_total')).toBe(1)
    // A client that does not end its side loses the connection, too.
    const isBroken = () => {
      client.socket.write('x')
      return client.socket.destroyed
    }
    await expect.poll(isBroken).toBe(true)
  })

  test('is woken by no name and no port of another plane', async () => {
    const world = await gatewayWorld({ planes: { one: 'asleep', two: 'asleep' } })
    await expect.poll(world.isReady).toBe(true)
    const client = await world.connect('one')
    client.socket.write(await realHello({ servername: 'vplane-two-kube-apiserver.team-a.svc' }))
    await expect.poll(() => world.requests).toHaveLength(1)
    const [one, two] = [await world.startPlane('one', 'one'), await world.startPlane('two', 'two')]

    world.become('awake', 'two')
    world.become('awake', 'one')

    await expect.poll(() => String(client.received())).toBe('one')
    expect(two.received()).toHaveLength(0)
    expect(one.sockets).toHaveLength(1)
    expect(new Set(world.requests.map(({ id }) => id))).toEqual(new Set(['id-of-one']))
  })

  test('is not woken by an API server that connects to itself', async () => {
    const world = await gatewayWorld({ times: { holdMs: 150, askMs: 10 } })
    await expect.poll(world.isReady).toBe(true)
    const client = await world.connect()
    client.socket.write(await realHello({ servername: 'apiserver-loopback-client' }))

    await once(client.socket, 'end')

    expect(client.received()).toEqual(ALERT)
    expect(world.requests).toEqual([])
  })

  test('refuses those who wait when it is closed, and listens again when it is opened', async () => {
    const world = await gatewayWorld()
    await expect.poll(world.isReady).toBe(true)
    const client = await world.connect()
    client.socket.write(await realHello())
    await expect.poll(() => world.requests).toHaveLength(1)

    world.become('closed')
    await once(client.socket, 'end')
    expect(client.received()).toEqual(ALERT)
    await expect(world.connect()).rejects.toThrow('ECONNREFUSED')
    expect(await world.isReady()).toBe(true)

    world.become('asleep')
    await expect
      .poll(() =>
        world.connect().then(
          () => true,
          () => false,
        ),
      )
      .toBe(true)
  })
})

describe('requests to wake a plane', () => {
  test('are sent again while a client waits, each once with its own mark, and then no more', async () => {
    const world = await gatewayWorld({ times: { askMs: 20 } })
    await expect.poll(world.isReady).toBe(true)
    const client = await world.connect()
    client.socket.write(await realHello())
    await expect.poll(() => world.requests.length).toBeGreaterThan(3)

    client.socket.destroy()
    await expect.poll(() => world.figure('held_connections')).toBe(0)
    const count = world.requests.length
    const other = await world.connect()
    other.socket.write(await realHello({ servername: 'later' }))
    await expect.poll(() => world.requests.length).toBeGreaterThan(count)

    const marks = world.requests.map(({ mark }) => mark)
    expect(new Set(marks).size).toBe(marks.length)
    expect(world.requests.at(count)?.clients).toEqual([
      { address: '127.0.0.1', serverName: 'later' },
    ])
  })

  test('are repeated after a failure, which is logged once', async () => {
    let failures = 0
    const onRequest = ({ verb }: { verb: string }) => {
      if (verb === 'patch' && failures < 4) {
        failures += 1
        throw new Error('no quorum')
      }
    }
    const world = await gatewayWorld({ hooks: { onRequest }, times: { askMs: 10 } })
    await expect.poll(world.isReady).toBe(true)
    const client = await world.connect()
    client.socket.write(await realHello())

    await expect.poll(() => world.requests.length).toBeGreaterThan(0)

    expect(world.lines).toEqual(['error: cannot ask to wake control planes: no quorum'])
  })
})
