import { expect, test } from 'vitest'
import { within } from '../../../../src/control-plane/use-cases/find/within.ts'
import { rejectionOf } from '../../../support/thrown-by.ts'

const LONG_MS = 60_000

test('hands on an answer, and a failure', async () => {
  const failure = new Error('no')

  expect(await within(LONG_MS, () => Promise.resolve('yes'))).toBe('yes')
  await expect(within(LONG_MS, () => Promise.reject(failure))).rejects.toBe(failure)
})

test('gives up, tells whoever answers, and does not mind what comes of it', async () => {
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
