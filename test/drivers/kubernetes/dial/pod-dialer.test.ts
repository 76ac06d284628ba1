import { once } from 'node:events'
import type { Duplex } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { expect, onTestFinished, test, vi } from 'vitest'
import { toRefusal } from '../../../../src/kube/kube-error.ts'
import { VplaneError } from '../../../../src/shared/errors.ts'
import { fakeHost } from './fake-host.ts'

const { signal } = new AbortController()
const READY = { isReady: true }
const ENDING = { isReady: true, isEnding: true }
const RUNNING = { isRunning: true }
const never = () => new Promise<Duplex>(() => {})
const refusal = (status: number) => () =>
  Promise.reject(toRefusal({ status, body: '', request: 'GET pods/a/portforward' }))

test('connects to a ready pod, and lists the pods only once', async () => {
  const host = fakeHost({ a: READY })
  const dial = host.dialer()

  await dial(signal)
  await dial(signal)

  expect(host.asked).toEqual(['list', 'forward a', 'forward a'])
})

test('lists the pods again after two seconds: one may be deleted since', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const host = fakeHost({ a: READY })
  const dial = host.dialer()

  await dial(signal)
  host.put('a', ENDING)
  host.put('b')
  vi.advanceTimersByTime(1999)
  await dial(signal)
  vi.advanceTimersByTime(1)
  await dial(signal)

  expect(host.asked).toEqual(['list', 'forward a', 'forward a', 'list', 'forward b'])
})

test('lists the pods once for concurrent callers', async () => {
  const host = fakeHost({ a: READY })
  const dial = host.dialer()

  await Promise.all(Array.from({ length: 50 }, () => dial(signal)))

  expect(host.asked.filter((word) => word === 'list')).toHaveLength(1)
})

test('uses pods in turn, and none that ends or is not ready', async () => {
  const host = fakeHost({ a: READY, b: READY, c: ENDING, d: RUNNING })
  const dial = host.dialer()

  for (let count = 0; count < 4; count += 1) {
    await dial(signal)
  }

  const dialled = host.asked.filter((word) => word.startsWith('forward')).toSorted()
  expect(dialled).toEqual(['forward a', 'forward a', 'forward b', 'forward b'])
})

test.for([
  ['is gone', refusal(404)],
  ['is on a node that cannot be reached', refusal(500)],
  ['breaks off', () => Promise.reject(new Error('socket hang up'))],
] as const)(
  'uses the next pod when one %s, and tries that one last for a while',
  async ([, forward]) => {
    const host = fakeHost()
    host.put('a', { isReady: true, forward })
    host.put('b')
    const dial = host.dialer()

    for (let count = 0; count < 4; count += 1) {
      await dial(signal)
    }

    const dialled = host.asked.filter((word) => word.startsWith('forward'))
    expect(dialled.filter((word) => word === 'forward b')).toHaveLength(4)
    expect(dialled.filter((word) => word === 'forward a').length).toBeLessThanOrEqual(1)
  },
)

test('tries a pod last whose stream ended without data', async () => {
  const host = fakeHost({ a: READY, b: READY })
  const dial = host.dialer()

  const stream = await dial(signal)
  const [, first = ''] = host.asked
  stream.destroy()
  await once(stream, 'close')
  await dial(signal)
  await dial(signal)

  expect(host.asked.slice(3).filter((word) => word === first)).toEqual([])
})

test('lists the pods again when one could not be reached', async () => {
  const host = fakeHost({ a: { isReady: true, forward: refusal(404) } })
  const dial = host.dialer()

  await expect(dial(signal)).rejects.toMatchObject({ code: 'UNREACHABLE' })
  host.remove('a')
  host.put('b')
  await dial(signal)

  expect(host.asked).toEqual(['list', 'forward a', 'list', 'forward b'])
})

test('waits for a pod to become ready by a watch, and watches no longer than it has to', async () => {
  const host = fakeHost({ a: { isReady: false } })
  const dial = host.dialer()

  const dialling = dial(signal)
  await expect.poll(() => host.watches).toBe(1)
  host.put('a')
  await dialling

  expect(host.asked).toEqual(['list', 'watch', 'forward a'])
  await expect.poll(() => host.watches).toBe(0)
})

test('uses a running pod when none is ready', async () => {
  const host = fakeHost({ a: RUNNING })

  await host.dialer()(signal)

  expect(host.asked).toEqual(['list', 'forward a'])
})

test('waits for a ready pod for a while, then uses a running one', async () => {
  const host = fakeHost({ a: RUNNING })
  const dial = host.dialer({ unreadyAfterMs: 50 })

  await dial(signal)
  // It is known to be unready by now: who comes next does not wait again.
  await dial(signal)

  expect(host.asked).toEqual(['list', 'watch', 'forward a', 'forward a'])
})

test('continues to watch while streams are open, and lists no pods for the next one', async () => {
  const host = fakeHost({ a: READY })
  const dial = host.dialer({ lingerMs: 20 })

  const stream = await dial(signal)
  await expect.poll(() => host.watches).toBe(1)
  host.put('b')
  host.remove('a')
  await setImmediate()
  const other = await dial(signal)

  expect(host.asked.toSorted()).toEqual(['forward a', 'forward b', 'list', 'watch'])
  for (const one of [stream, other]) {
    one.destroy()
  }
  await expect.poll(() => host.watches).toBe(0)
})

test('stops when its signal fires, whatever it waits for', async () => {
  const host = fakeHost({ a: { isReady: false } })
  const stop = new AbortController()

  const dialling = host.dialer()(stop.signal)
  await expect.poll(() => host.watches).toBe(1)
  stop.abort(new VplaneError('TIMED_OUT', 'no answer within 10000 ms'))

  await expect(dialling).rejects.toMatchObject({ message: 'no answer within 10000 ms' })
  await expect.poll(() => host.watches).toBe(0)
})

test('does not use a list again for which a caller stopped to wait', async () => {
  const host = fakeHost({ a: READY })
  host.isSilent = true
  const stop = new AbortController()
  const dial = host.dialer()

  const hanging = dial(stop.signal)
  await expect.poll(() => host.asked).toEqual(['list'])
  host.isSilent = false
  stop.abort(new VplaneError('TIMED_OUT', 'no answer within 2000 ms'))

  await expect(hanging).rejects.toMatchObject({ message: 'no answer within 2000 ms' })
  await dial(new AbortController().signal)
  expect(host.asked).toEqual(['list', 'list', 'forward a'])
})

test('stops opening a stream when its signal fires', async () => {
  const host = fakeHost()
  const signals: AbortSignal[] = []
  host.put('a', {
    isReady: true,
    forward: async (inner) => {
      signals.push(inner)
      await Promise.race([never(), once(inner, 'abort')])
      throw inner.reason
    },
  })
  const stop = new AbortController()

  const dialling = host.dialer()(stop.signal)
  await expect.poll(() => signals).toHaveLength(1)
  stop.abort(new VplaneError('ABORTED', 'the client is gone'))

  await expect(dialling).rejects.toMatchObject({ message: 'the client is gone' })
})

test('does not close streams when the signal fires later', async () => {
  const host = fakeHost({ a: READY })
  const stop = new AbortController()
  const stream = await host.dialer()(stop.signal)

  stop.abort()

  expect(stream.destroyed).toBe(false)
})

test('reports by its endpoint that a plane does not exist', async () => {
  const host = fakeHost()
  host.hasEndpoint = false

  await expect(host.dialer()(signal)).rejects.toMatchObject({
    code: 'CONTROL_PLANE_NOT_FOUND',
    message: '"dev" does not exist in the host namespace "team-a" any more',
  })
})

const login = new VplaneError('FAILED', 'login to the host cluster "prod" is needed', {
  hints: ['aws sso login'],
})

test.for(['list', 'watch'] as const)('reports that a %s needs a login', async (request) => {
  const host = fakeHost({ a: { isReady: false } })
  host.failures[request] = login

  await expect(host.dialer()(signal)).rejects.toBe(login)
})

test.for([401, 403])(
  'reports what the host denies with %i, and tries no other pod',
  async (status) => {
    const host = fakeHost()
    host.put('a', { isReady: true, forward: refusal(status) })
    host.put('b', { isReady: true, forward: refusal(status) })

    await expect(host.dialer()(signal)).rejects.toMatchObject({ code: 'FAILED' })

    expect(host.asked).toHaveLength(2)
  },
)

test('keeps streams open when the watch fails', async () => {
  const host = fakeHost({ a: READY })
  host.failures.watch = login
  const dial = host.dialer({ lingerMs: 20 })

  await dial(signal)
  await dial(signal)

  expect(host.asked.filter((word) => word === 'forward a')).toHaveLength(2)
})

test('treats an unreachable host as a failure that may pass', async () => {
  const host = fakeHost()
  host.failures.list = new VplaneError('TIMED_OUT', 'cannot reach https://host: silent for 70 s')

  await expect(host.dialer()(signal)).rejects.toMatchObject({
    code: 'UNREACHABLE',
    message: 'cannot reach https://host: silent for 70 s',
  })
})
