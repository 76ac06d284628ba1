import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { messageOf, VplaneError } from '../../src/shared/errors.ts'
import { isFree } from '../../src/shared/network/ports.ts'
import type { Dial } from '../../src/tunnel/connections/dial.ts'
import { listenTunnel } from '../../src/tunnel/connections/listen-tunnel.ts'
import { answerTo, connectTo, startTcpServer } from './tcp-server.ts'

const refused = () => Promise.reject(new VplaneError('UNREACHABLE', 'no pod is ready'))

test('refuses clients while the plane cannot be reached, and listens again when it can', async () => {
  await using server = await startTcpServer()
  const events: string[] = []
  let isThere = false
  await using tunnel = await listenTunnel({
    port: 0,
    dial: (signal) => (isThere ? server.dial(signal) : refused()),
    patienceMs: 1000,
    onFailure: (error) => events.push(messageOf(error)),
    onRecovery: () => events.push('listens again'),
  })

  expect(await answerTo(await connectTo(tunnel.port), 'hello')).toBe('ECONNRESET')
  await expect(connectTo(tunnel.port)).rejects.toMatchObject({ code: 'ECONNREFUSED' })
  isThere = true
  await expect.poll(() => events, { timeout: 5000 }).toEqual(['no pod is ready', 'listens again'])

  expect(await answerTo(await connectTo(tunnel.port), 'hello')).toBe('hello')
})

test('goes on with open connections while it refuses others', async () => {
  await using server = await startTcpServer()
  const dials = [server.dial]
  await using tunnel = await listenTunnel({
    port: 0,
    dial: (signal) => (dials.shift() ?? refused)(signal),
    patienceMs: 1000,
  })
  const client = await connectTo(tunnel.port)
  client.write('hello')
  await once(client, 'data')

  expect(await answerTo(await connectTo(tunnel.port), 'hello')).toBe('ECONNRESET')
  await expect.poll(() => isFree(tunnel.port)).toBe(true)

  expect(await answerTo(client, 'still there')).toBe('still there')
})

test('listens on for a plane that has never answered, since somebody starts it', async () => {
  await using server = await startTcpServer()
  let isThere = false
  await using tunnel = await listenTunnel({
    port: 0,
    dial: (signal) => (isThere ? server.dial(signal) : refused()),
    isExpected: false,
  })

  expect(await answerTo(await connectTo(tunnel.port), 'hello')).toBe('ECONNRESET')
  isThere = true

  expect(await answerTo(await connectTo(tunnel.port), 'hello')).toBe('hello')
})

test.for([
  ['for twice as long as before, where nobody is to be expected', ['ECONNRESET', 'hello'], false],
  ['for long at once where somebody is', ['hello', 'hello'], true],
] as const)('waits %s', async ([, answers, isKnownToServe]) => {
  await using server = await startTcpServer()
  await using tunnel = await listenTunnel({
    port: 0,
    // A long way: the first answer takes longer than a second.
    dial: async (signal) => {
      await delay(1300, undefined, { signal })
      return server.dial(signal)
    },
    isExpected: false,
  })
  if (isKnownToServe) {
    tunnel.expect()
  }

  for (const answer of answers) {
    expect(await answerTo(await connectTo(tunnel.port), 'hello')).toBe(answer)
  }
})

test('says what keeps the plane from being reached, found out while nobody asked', async () => {
  const failures: string[] = []
  const login = () => Promise.reject(new VplaneError('FAILED', 'a login is needed'))
  let dial: Dial = refused
  await using tunnel = await listenTunnel({
    port: 0,
    dial: (signal) => dial(signal),
    patienceMs: 1000,
    onFailure: (error) => {
      failures.push(messageOf(error))
      dial = login
    },
  })

  await answerTo(await connectTo(tunnel.port), 'hello')

  await expect
    .poll(() => failures, { timeout: 5000 })
    .toEqual(['no pod is ready', 'a login is needed'])
  expect(await isFree(tunnel.port)).toBe(true)
})
