import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { messageOf, VplaneError } from '../../shared/errors.ts'
import { type Dial, isTransient } from './dial.ts'
import type { Opening } from './opening.ts'

const RETRY_MS = 50
const LONGEST_RETRY_MS = 500

/** A stream whose other side has begun to speak. */
export interface Answered {
  upstream: Duplex
  answer: Buffer
}

export interface FirstAnswerOptions {
  client: Socket
  opening: Opening
  dial: Dial
  /** How long streams may be silent before one more is tried beside them, in milliseconds; each time twice as long. */
  attemptMs: number
  /** How long the client may wait, in milliseconds. */
  allowedMs: number
}

/**
 * The first answer to what a client has said.
 *
 * @throws {VplaneError} `TIMED_OUT` or what the streams failed with last when nobody answers in time, `ABORTED` when the
 * client is gone.
 */
export async function firstAnswer({
  allowedMs,
  ...attempts
}: FirstAnswerOptions): Promise<Answered> {
  const { client } = attempts
  const stop = new AbortController()
  const abort = (code: 'ABORTED' | 'TIMED_OUT', message: string) => () =>
    stop.abort(new VplaneError(code, message))
  const onClose = abort('ABORTED', 'the client is gone')
  const timer = setTimeout(abort('TIMED_OUT', `no answer within ${allowedMs} ms`), allowedMs)
  client.once('close', onClose)
  try {
    return await dialUntilAnswered(attempts, stop.signal)
  } finally {
    clearTimeout(timer)
    client.off('close', onClose)
  }
}

/** A stream that may answer, beside others. */
interface Attempt {
  /** Never rejects. */
  ended: Promise<Outcome>
  stop: AbortController
}

type Outcome = { answered: Answered } | { error: unknown }

/**
 * The first answer of several streams: one that is silent for long gets company, and may still be the first, as a server
 * that has much to do is slow on every one.
 */
async function dialUntilAnswered(
  { attemptMs, dial, opening }: Omit<FirstAnswerOptions, 'allowedMs'>,
  signal: AbortSignal,
): Promise<Answered> {
  const attempts = new Set<Attempt>()
  const stopAll = () => attempts.forEach(({ stop }) => stop.abort(signal.reason))
  signal.addEventListener('abort', stopAll)
  let failure: unknown
  try {
    for (let tries = 0; ; tries += 1) {
      attempts.add(begin(opening, dial))
      const { answered, errors } = await endedWithin(attemptMs * 2 ** tries, attempts)
      if (answered !== undefined) {
        return answered
      }
      for (const error of errors) {
        if (!isTransient(error)) {
          throw error
        }
        failure = signal.aborted ? (failure ?? error) : error
      }
      if (signal.aborted) {
        throw failure
      }
      if (attempts.size === 0) {
        const retryMs = Math.min(RETRY_MS * 2 ** tries, LONGEST_RETRY_MS)
        await delay(retryMs, undefined, { signal }).catch(() => {})
      }
    }
  } finally {
    signal.removeEventListener('abort', stopAll)
    stopAll()
    attempts.forEach((attempt) => void leave(attempt))
  }
}

function begin(opening: Opening, dial: Dial): Attempt {
  const stop = new AbortController()
  const ended = answerOverOne(opening, dial, stop.signal).then(
    (answered): Outcome => ({ answered }),
    (error: unknown): Outcome => ({ error }),
  )
  return { ended, stop }
}

/** Somebody else was the first. */
async function leave({ ended }: Attempt): Promise<void> {
  const outcome = await ended
  if ('answered' in outcome) {
    outcome.answered.upstream.destroy()
  }
}

/**
 * How attempts ended, which are taken out then: up to the first answer, until none is left, or until so much time has
 * passed.
 */
async function endedWithin(
  ms: number,
  attempts: Set<Attempt>,
): Promise<{ answered?: Answered; errors: unknown[] }> {
  const errors: unknown[] = []
  const { promise, resolve } = Promise.withResolvers<{ answered?: Answered; errors: unknown[] }>()
  const end = new AbortController()
  const stop = (result: { answered?: Answered; errors: unknown[] }) => {
    end.abort()
    resolve(result)
  }
  const timer = setTimeout(() => stop({ errors }), ms)
  const follow = async (attempt: Attempt) => {
    const outcome = await attempt.ended
    // One that ends later is still among the attempts, for whoever looks next.
    if (end.signal.aborted) {
      return
    }
    attempts.delete(attempt)
    if ('answered' in outcome) {
      stop({ answered: outcome.answered, errors })
    } else {
      errors.push(outcome.error)
      if (attempts.size === 0) {
        stop({ errors })
      }
    }
  }
  attempts.forEach((attempt) => void follow(attempt))
  const result = await promise
  clearTimeout(timer)
  return result
}

async function answerOverOne(opening: Opening, dial: Dial, signal: AbortSignal): Promise<Answered> {
  const upstream = await dial(signal)
  let failure: unknown = new Error('the connection ended without an answer')
  upstream.on('error', (error) => (failure = error))
  const end = () => upstream.destroy()
  signal.addEventListener('abort', end)
  const answer = await answerUnless(signal, opening, upstream)
  signal.removeEventListener('abort', end)
  if (answer !== undefined) {
    return { upstream, answer }
  }
  upstream.destroy()
  signal.throwIfAborted()
  throw failure instanceof VplaneError
    ? failure
    : new VplaneError('UNREACHABLE', messageOf(failure), { cause: failure })
}

async function answerUnless(
  signal: AbortSignal,
  opening: Opening,
  upstream: Duplex,
): Promise<Buffer | undefined> {
  if (signal.aborted || upstream.destroyed) {
    upstream.destroy()
    return undefined
  }
  // Without it small requests wait for the acknowledgement of those before: 40 ms each.
  if (upstream instanceof Socket) {
    upstream.setNoDelay(true)
  }
  return opening.answerOf(upstream)
}
