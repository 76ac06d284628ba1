import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import { gatewayWorld } from './gateway-world.ts'
import { realHello } from './real-hello.ts'

test('clients that say no ClientHello wake nothing, and keep nobody else out', async () => {
  const world = await gatewayWorld()
  await expect.poll(world.isReady).toBe(true)
  const hello = await realHello()
  const [silent, half, plain, long] = [
    await world.connect(),
    await world.connect(),
    await world.connect(),
    await world.connect(),
  ]
  half.socket.write(hello.subarray(0, 100))
  plain.socket.write('GET / HTTP/1.1\r\n\r\n')
  long.socket.write(Buffer.concat([hello, Buffer.alloc(32 * 1024)]))
  silent.socket.end()
  half.socket.end()
  const open = () => [silent, half, plain, long].filter(({ socket }) => !socket.destroyed)
  await expect.poll(open).toEqual([])
  await expect.poll(() => world.figure('held_connections')).toBe(0)
  const before = world.requests.length

  const client = await world.connect()
  client.socket.write(hello)

  await expect.poll(() => world.requests.length).toBeGreaterThan(before)
})

test('a client that has not said a whole ClientHello after 5 s is dropped, and wakes nothing', async () => {
  const world = await gatewayWorld()
  await expect.poll(world.isReady).toBe(true)
  const hello = await realHello({ servername: 'later' })
  onTestFinished(() => void vi.useRealTimers())
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const [silent, half] = [await world.connect(), await world.connect()]
  const open = () => [silent, half].filter(({ socket }) => !socket.destroyed)
  // The gateway drops what is not TLS at once: by then it knows of all that came before.
  const untilNoticed = async () => {
    const { socket } = await world.connect()
    socket.write('GET / HTTP/1.1\r\n\r\n')
    await once(socket, 'close')
  }
  half.socket.write(hello.subarray(0, 50))
  await untilNoticed()

  await vi.advanceTimersByTimeAsync(4900)
  half.socket.write(hello.subarray(50, 100))
  await untilNoticed()
  expect(open()).toHaveLength(2)
  await vi.advanceTimersByTimeAsync(200)
  vi.useRealTimers()

  await expect.poll(open).toEqual([])
  expect(world.requests).toEqual([])
  const client = await world.connect()
  client.socket.write(hello)
  await expect.poll(() => world.requests.length).toBeGreaterThan(0)
  expect(world.requests[0]?.clients).toEqual([{ address: '127.0.0.1', serverName: 'later' }])
})

test('a client that leaves waits no longer, and is passed to no plane', async () => {
  const world = await gatewayWorld({ times: { askMs: 10 } })
  await expect.poll(world.isReady).toBe(true)
  const client = await world.connect()
  client.socket.write(await realHello())
  await expect.poll(() => world.figure('held_connections')).toBe(1)
  const plane = await world.startPlane()

  client.socket.end()
  await expect.poll(() => world.figure('held_connections')).toBe(0)
  world.become('awake')
  const other = await world.connect()
  other.socket.write(await realHello())
  await expect.poll(() => String(other.received())).toBe('hello')

  expect(plane.sockets).toHaveLength(1)
  expect(client.received()).toHaveLength(0)
})

// Other systems than Linux have no second address of this machine.
const testWithAddresses = test.skipIf(process.platform === 'darwin')

testWithAddresses('one source keeps no other out of a gateway that has no room', async () => {
  const world = await gatewayWorld()
  await expect.poll(world.isReady).toBe(true)
  const hello = await realHello()
  const clients = await Promise.all(Array.from({ length: 1010 }, () => world.connect()))
  clients.forEach(({ socket }) => socket.write(hello))
  const left = () => clients.filter(({ socket }) => !socket.destroyed).length
  await expect.poll(left).toBe(1000)

  const other = await world.connect('dev', '127.0.0.2')
  other.socket.write(hello)

  await expect.poll(left).toBe(999)
  expect(other.socket.destroyed).toBe(false)
  expect(await world.figure('held_connections')).toBe(1000)
  expect(await world.figure('refused_connections_total')).toBe(11)
})

testWithAddresses(
  'one source keeps no other out of the requests, whatever servers it names',
  async () => {
    const world = await gatewayWorld({ times: { askMs: 50 } })
    await expect.poll(world.isReady).toBe(true)
    const honest = await world.connect('dev', '127.0.0.2')
    honest.socket.write(await realHello())
    await expect.poll(() => world.figure('held_connections')).toBe(1)

    for (let count = 1; count <= 20; count += 1) {
      const { socket } = await world.connect()
      socket.write(await realHello({ servername: `name-${count}` }))
    }
    await expect.poll(() => world.figure('held_connections')).toBe(21)
    const before = world.requests.length
    await expect.poll(() => world.requests.length).toBeGreaterThan(before)

    const { clients = [] } = world.requests.at(-1) ?? {}
    expect(clients.map(({ address }) => address).toSorted()).toEqual(['127.0.0.1', '127.0.0.2'])
  },
)

test('ten thousand silent connections keep no client out', async () => {
  const world = await gatewayWorld()
  await expect.poll(world.isReady).toBe(true)
  const hello = await realHello()
  const sockets: Socket[] = []
  onTestFinished(() => sockets.forEach((socket) => socket.destroy()))
  let closed = 0
  for (let batch = 0; batch < 100; batch += 1) {
    const added = Array.from({ length: 100 }, () =>
      connect({ host: '127.0.0.1', port: world.portOf() }),
    )
    sockets.push(...added)
    for (const socket of added) {
      socket
        .resume()
        .on('error', () => {})
        .once('close', () => (closed += 1))
    }
    await Promise.all(added.map((socket) => once(socket, 'connect')))
  }

  const client = await world.connect()
  client.socket.write(hello)

  await expect.poll(() => world.requests.length).toBeGreaterThan(0)
  await expect.poll(() => closed).toBeGreaterThanOrEqual(9000)
  expect(await world.figure('held_connections')).toBe(1)
})
