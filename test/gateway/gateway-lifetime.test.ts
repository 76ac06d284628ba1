import { once } from 'node:events'
import { createServer } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { runGateway } from '../../src/gateway/run-gateway.ts'
import { listen } from '../../src/shared/network/listen.ts'
import { ALERT, gatewayWorld } from './gateway-world.ts'
import { realHello } from './real-hello.ts'

test('is ready when all its ports listen', async () => {
  const world = await gatewayWorld({ planes: { dev: 'asleep', test: 'awake', old: 'closed' } })
  await expect.poll(world.isReady).toBe(true)
  const other = createServer()
  onTestFinished(() => void other.close())
  await listen(other, { address: '0.0.0.0', port: world.portOf('old') })

  world.become('asleep', 'old')
  await expect.poll(world.isReady).toBe(false)
  other.close()

  await expect.poll(world.isReady).toBe(true)
  const port = world.portOf('old')
  expect(world.lines).toEqual([
    expect.stringMatching(`^old: error: cannot listen on port ${port}: .*EADDRINUSE`),
  ])
})

test('reads no other ConfigMap than that of its planes', async () => {
  const asked: unknown[] = []
  const world = await gatewayWorld({ onWatch: (...query) => asked.push(query) })
  await expect.poll(world.isReady).toBe(true)

  expect(asked).toEqual([
    ['/api/v1/namespaces/team-a/configmaps', 'metadata.name=vplane-gateway-planes'],
  ])
})

test('still accepts clients after it was stopped, but is not ready', async () => {
  const times = { leaveMs: 300, endMs: 10_000 }
  const world = await gatewayWorld({ planes: { dev: 'asleep' }, times })
  await expect.poll(world.isReady).toBe(true)
  const plane = await world.startPlane()

  world.stop()
  await expect.poll(world.isReady).toBe(false)
  const client = await world.connect()
  client.socket.write(await realHello())
  await expect.poll(() => world.requests.length).toBeGreaterThan(0)
  const isOpen = async () => {
    const probe = await world.connect().catch(() => undefined)
    probe?.socket.destroy()
    return probe !== undefined
  }
  await expect.poll(isOpen).toBe(false)
  world.become('awake')
  await expect.poll(() => String(client.received())).toBe('hello')
  expect(await isOpen()).toBe(false)
  plane.sockets.forEach((socket) => socket.end(' bye'))
  client.socket.end()

  await world.running
  expect(String(client.received())).toBe('hello bye')
})

test('ends after a while although connections continue and clients wait', async () => {
  const world = await gatewayWorld({
    planes: { dev: 'awake', test: 'asleep' },
    times: { leaveMs: 0, endMs: 100 },
  })
  await expect.poll(world.isReady).toBe(true)
  await world.startPlane()
  const client = await world.connect()
  const waiting = await world.connect('test')
  client.socket.write(await realHello())
  waiting.socket.write(await realHello())
  await expect.poll(() => String(client.received())).toBe('hello')
  await expect.poll(() => world.requests.length).toBeGreaterThan(0)
  const ended = [once(client.socket, 'close'), once(waiting.socket, 'end')]

  world.stop()

  await world.running
  await Promise.all(ended)
  expect(waiting.received()).toEqual(ALERT)
})

test('fails without the right to read its planes', async () => {
  const denied = new Error('it may not watch')
  const world = await gatewayWorld({
    onWatch: () => {
      throw denied
    },
  })

  await expect(world.running).rejects.toBe(denied)
})

test('runs only in a pod', async () => {
  const { signal } = new AbortController()

  await expect(runGateway({ environment: {}, log: () => {}, signal })).rejects.toThrow(
    'this works only in a pod with a service account',
  )
})
