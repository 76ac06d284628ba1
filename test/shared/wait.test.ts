import { expect, test } from 'vitest'
import { VplaneError } from '../../src/shared/errors.ts'
import { timeLimit, waitFor, within } from '../../src/shared/wait.ts'
import { rejectionOf } from '../support/thrown-by.ts'

const OPTIONS = { what: 'the plane', timeoutMs: 5000, intervalMs: 1 }
const LONG_MS = 60_000

/** A condition that holds from its nth look on, and how often it was looked at. */
function holdsAt<T>(looks: number, value: T) {
  const seen = { looks: 0 }
  const condition = () => {
    seen.looks += 1
    return Promise.resolve(seen.looks >= looks && value)
  }
  return { seen, condition }
}

test.for([0, '', true, null])('returns %j, which is neither undefined nor false', async (value) => {
  const { condition, seen } = holdsAt(3, value)

  expect(await waitFor(condition, OPTIONS)).toBe(value)
  expect(seen.looks).toBe(3)
})

test('gives up at the deadline, and reports what it waited for and what to do', async () => {
  const options = { ...OPTIONS, timeoutMs: 100, hints: ['vplane doctor'] }
  const waiting = waitFor(() => Promise.resolve(false), options)

  await expect(waiting).rejects.toMatchObject({
    code: 'TIMED_OUT',
    message: 'gave up waiting for the plane after 0.1 s',
    hints: ['vplane doctor'],
  })
})

test('ends a check that still runs when the deadline passes', async () => {
  const hanging = (signal: AbortSignal) =>
    new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))

  const waiting = waitFor(hanging, { ...OPTIONS, timeoutMs: 50 })

  await expect(waiting).rejects.toMatchObject({ code: 'TIMED_OUT' })
})

test('is interrupted by its signal', async () => {
  const interruption = new AbortController()
  const { signal } = interruption
  const waiting = waitFor(() => Promise.resolve(undefined), { ...OPTIONS, signal })

  interruption.abort()

  await expect(waiting).rejects.toMatchObject({
    code: 'ABORTED',
    message: 'interrupted while waiting for the plane',
  })
})

test('fails with the error of the time limit that ends it', async () => {
  const signal = timeLimit(100, 'the host cluster')
  const error = { code: 'TIMED_OUT', message: 'no answer from the host cluster within 0.1 s' }

  const waiting = waitFor(() => Promise.resolve(false), { ...OPTIONS, signal })

  await expect(waiting).rejects.toMatchObject(error)
  expect(signal.reason).toMatchObject(error)
})

test.for([
  ['an error of vplane', new VplaneError('COMPONENT_FAILED', 'etcd has ended')],
  ['any other error', new Error('EACCES')],
] as const)('passes %s on as it is', async ([, error]) => {
  await expect(waitFor(() => Promise.reject(error), OPTIONS)).rejects.toBe(error)
})

test('checks less often the longer it waits', async () => {
  let looks = 0
  const count = () => {
    looks += 1
    return Promise.resolve(false)
  }

  await expect(waitFor(count, { ...OPTIONS, timeoutMs: 600 })).rejects.toThrow()

  // At most every fiftieth of the time: 50 looks in the first 50 ms, 50 * ln(600 / 50) after that.
  expect(looks).toBeLessThan(200)
  expect(looks).toBeGreaterThan(5)
})

test('returns an answer, and throws a failure', async () => {
  const failure = new Error('no')

  expect(await within(LONG_MS, () => Promise.resolve('yes'))).toBe('yes')
  await expect(within(LONG_MS, () => Promise.reject(failure))).rejects.toBe(failure)
})

test('gives up, aborts the request, and ignores its outcome', async () => {
  let told: AbortSignal | undefined
  const question = (signal: AbortSignal) => {
    told = signal
    return new Promise((_, reject) => {
      signal.addEventListener('abort', () => reject(new Error('too late')))
    })
  }

  const error = await rejectionOf(within(120, question))

  expect(error).toMatchObject({ code: 'TIMED_OUT', message: 'no answer within 0.1 s' })
  expect(told?.aborted).toBe(true)
})
