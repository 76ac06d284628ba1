import { once } from 'node:events'
import { expect, test } from 'vitest'
import { VplaneError } from '../../../src/shared/errors.ts'
import { waitUntilDialed } from '../../../src/tunnel/connections/wait-until-dialed.ts'
import { inTurn, refused, startTcpServer } from '../tcp-server.ts'

const { signal } = new AbortController()

test('tries until it works, and leaves nothing open', async () => {
  await using server = await startTcpServer()
  const dials = [refused, refused, server.dial]

  await waitUntilDialed(inTurn(dials), { signal, retryMs: 1 })

  expect(dials).toEqual([])
  await server.open(0)
})

test('ends with what trying again does not change', async () => {
  const login = new VplaneError('FAILED', 'a login is needed')

  await expect(waitUntilDialed(() => Promise.reject(login), { signal })).rejects.toBe(login)
})

test.for(['while it dials', 'between two tries'])('ends when its signal fires %s', async (when) => {
  const stop = new AbortController()
  let tries = 0
  const dial = (inner: AbortSignal) => {
    tries += 1
    return when === 'while it dials'
      ? once(inner, 'abort').then(() => Promise.reject(inner.reason))
      : refused(inner)
  }

  const waiting = waitUntilDialed(dial, { signal: stop.signal, retryMs: 60_000 })
  await expect.poll(() => tries).toBe(1)
  stop.abort(new VplaneError('ABORTED', 'over'))

  await expect(waiting).rejects.toMatchObject({ message: 'over' })
})
