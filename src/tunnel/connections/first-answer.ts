import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { messageOf, VplaneError } from '../../shared/errors.ts'
import { type Dial, isTransient } from './dial.ts'
import type { AdditionalStreams } from './additional-streams.ts'
import type { Opening } from './opening.ts'

const RETRY_MS = 50
const LONGEST_RETRY_MS = 500

/** A stream with its first answer. */
export interface Answered {
  upstream: Duplex
  answer: Buffer
}

export interface FirstAnswerOptions {
  client: Socket
  opening: Opening
  dial: Dial
  /** How long streams may be silent before another one is tried as well, in milliseconds; doubles each time. */
  attemptMs: number
  /** Of all connections of the tunnel. */
  additional: AdditionalStreams
  /** How long the client may wait, in milliseconds. */
  allowedMs: number
}

/**
 * @throws {VplaneError} `TIMED_OUT` or the last error of a stream when no answer comes in time, `ABORTED` when the
 * client has closed.
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
    return await attempts.additional.whileWaiting(() => dialUntilAnswered(attempts, stop.signal))
  } finally {
    clearTimeout(timer)
    client.off('close', onClose)
  }
}

interface Attempt {
  /** Never rejects. */
  ended: Promise<Outcome>
  stop: AbortController
}

type Outcome = { answered: Answered } | { error: unknown }
type Ended = { answered?: Answered; errors: unknown[] }

/** Silent streams stay open beside newer ones: on a busy server, any of them may answer first. */
async function dialUntilAnswered(
  { additional, attemptMs, dial, opening }: Omit<FirstAnswerOptions, 'allowedMs'>,
  signal: AbortSignal,
): Promise<Answered> {
  const attempts = new Set<Attempt>()
  const stopAll = () => attempts.forEach(({ stop }) => stop.abort(signal.reason))
  signal.addEventListener('abort', stopAll)
  let failure: unknown
  let tries = 0
  try {
    for (;;) {
      let waitMs = Math.min(attemptMs, LONGEST_RETRY_MS)
      const isAdditional = attempts.size > 0
      if (!isAdditional || additional.open()) {
        const attempt = begin(opening, dial)
        attempts.add(attempt)
        void attempt.ended.then(() => isAdditional && additional.close())
        waitMs = attemptMs * 2 ** tries
        tries += 1
      }
      const { answered, errors } = await endedWithin(waitMs, attempts)
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
        const retryMs = Math.min(RETRY_MS * 2 ** (tries - 1), LONGEST_RETRY_MS)
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

async function leave({ ended }: Attempt): Promise<void> {
  const outcome = await ended
  if ('answered' in outcome) {
    outcome.answered.upstream.destroy()
  }
}

/** Removes and returns ended attempts: up to the first answer, until none is left, or for `ms`. */
async function endedWithin(ms: number, attempts: Set<Attempt>): Promise<Ended> {
  const errors: unknown[] = []
  const { promise, resolve } = Promise.withResolvers<Ended>()
  const end = new AbortController()
  const stop = (result: Ended) => {
    end.abort()
    resolve(result)
  }
  const timer = setTimeout(() => stop({ errors }), ms)
  const follow = async (attempt: Attempt) => {
    const outcome = await attempt.ended
    // A later end stays among the attempts for the next call.
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
  // Otherwise small requests wait 40 ms for the acknowledgement of the previous one.
  if (upstream instanceof Socket) {
    upstream.setNoDelay(true)
  }
  return opening.answerOf(upstream)
}
