import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import { VplaneError } from '../../src/shared/errors.ts'
import { isFree } from '../../src/shared/network/ports.ts'
import type { Dial } from '../../src/tunnel/connections/dial.ts'
import { openTunnel } from './open-tunnel.ts'
import { answeredClient, answerTo, connectTo, inTurn, refused } from './tcp-server.ts'
import { startTcpServer } from './tcp-server.ts'

test('refuses clients while the plane cannot be reached, and listens again when it can', async () => {
  await using server = await startTcpServer()
  let dial = refused
  const onRecovery = vi.fn<() => void>()
  const options = { patienceMs: 1000, onRecovery }
  const { failures, tunnel } = await openTunnel((signal) => dial(signal), options)

  expect(await answerTo(await connectTo(tunnel.port), 'hello')).toBe('ECONNRESET')
  await expect(connectTo(tunnel.port)).rejects.toMatchObject({ code: 'ECONNREFUSED' })
  dial = server.dial
  await expect.poll(() => onRecovery, { timeout: 5000 }).toHaveBeenCalledOnce()

  expect(failures).toEqual(['no pod is ready'])
  expect(await answerTo(await connectTo(tunnel.port), 'hello')).toBe('hello')
})

test('keeps open connections while it refuses others', async () => {
  await using server = await startTcpServer()
  const { tunnel } = await openTunnel(inTurn([server.dial]), { patienceMs: 1000 })
  const client = await answeredClient(tunnel.port)

  expect(await answerTo(await connectTo(tunnel.port), 'hello')).toBe('ECONNRESET')
  await expect.poll(() => isFree(tunnel.port)).toBe(true)

  expect(await answerTo(client, 'still there')).toBe('still there')
})

test('listens on while the plane answers others, as on a busy host', async () => {
  await using server = await startTcpServer()
  const stuck: Dial = (signal) => once(signal, 'abort').then(() => refused(signal))
  const { failures, tunnel } = await openTunnel(inTurn([stuck, server.dial]), { patienceMs: 1000 })
  const unanswered = answerTo(await connectTo(tunnel.port), 'hello')
  await delay(300)
  await answeredClient(tunnel.port)

  expect(await unanswered).toBe('ECONNRESET')

  expect(failures).toHaveLength(1)
  expect(await isFree(tunnel.port)).toBe(false)
})

test('listens on for a plane that has never answered, since someone starts it', async () => {
  await using server = await startTcpServer()
  let dial = refused
  const { tunnel } = await openTunnel((signal) => dial(signal), { isExpected: false })

  expect(await answerTo(await connectTo(tunnel.port), 'hello')).toBe('ECONNRESET')
  dial = server.dial

  expect(await answerTo(await connectTo(tunnel.port), 'hello')).toBe('hello')
})

test.for([
  ['for twice as long as before, where nobody is to be expected', ['ECONNRESET', 'hello'], false],
  ['for long at once where someone is', ['hello', 'hello'], true],
] as const)('waits %s', async ([, answers, isKnownToServe]) => {
  await using server = await startTcpServer()
  // A long way: the first answer takes longer than a second.
  const dial: Dial = (signal) => delay(1300, undefined, { signal }).then(() => server.dial(signal))
  const { tunnel } = await openTunnel(dial, { isExpected: false })
  if (isKnownToServe) {
    tunnel.expect()
  }

  for (const answer of answers) {
    expect(await answerTo(await connectTo(tunnel.port), 'hello')).toBe(answer)
  }
})

test('says what keeps the plane from being reached, found out while nobody asked', async () => {
  const login = new VplaneError('FAILED', 'a login is needed')
  let dial: Dial = refused
  const { failures, tunnel } = await openTunnel((signal) => dial(signal), { patienceMs: 1000 })

  await answerTo(await connectTo(tunnel.port), 'hello')
  expect(failures).toEqual(['no pod is ready'])
  dial = () => Promise.reject(login)

  await expect.poll(() => failures, { timeout: 5000 }).toEqual(['no pod is ready', login.message])
  await expect.poll(() => isFree(tunnel.port)).toBe(true)
})
