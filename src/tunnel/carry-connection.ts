import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { messageOf, VplaneError } from '../shared/errors.ts'
import { type Dial, isPassing } from './dial.ts'
import { Opening } from './opening.ts'

export interface CarryOptions {
  dial: Dial
  /** How long the server may be silent when the client has ended, in milliseconds, where it cannot be told so. */
  lingerMs: number
  /** How long the first stream may be silent before another one is tried, in milliseconds; each next one twice as long. */
  attemptMs: number
  /** The client has begun to speak: returns how long it may wait for its first answer, in milliseconds. */
  onBegin: () => number
  /** Somebody has answered it. */
  onAnswer: (upstream: Duplex) => void
  /** Nobody answers it: its connection is reset. */
  onFailure: (error: unknown) => void
}

const RETRY_MS = 50
const LONGEST_RETRY_MS = 500

/**
 * Carries one connection of a client, byte for byte, until it is over; never rejects.
 *
 * Nothing is dialled before the client speaks: whoever only looks whether the port answers costs the host nothing. A
 * stream that breaks before it has answered is replaced. Behind the answer both directions go their own way: each side
 * is read as quickly as the other one takes it, and may end while the other goes on.
 */
export async function carryConnection(client: Socket, options: CarryOptions): Promise<void> {
  // What is wrong with it shows in its end.
  client.on('error', () => {})
  client.setNoDelay(true)
  const opening = new Opening(client)
  if (!(await opening.begun)) {
    client.destroy()
    return
  }
  const allowedMs = options.onBegin()
  try {
    const { answer, upstream } = await firstAnswer({ ...options, client, opening, allowedMs })
    options.onAnswer(upstream)
    join({ client, upstream, opening, answer, lingerMs: options.lingerMs })
  } catch (error) {
    if (!client.destroyed) {
      // Before the client learns of it: who tries again at once is refused then, where nobody listens any more.
      options.onFailure(error)
      // Not an end, which clients would take for one of the server's.
      client.resetAndDestroy()
    }
  }
}

interface Answered {
  upstream: Duplex
  answer: Buffer
}

type Attempts = Pick<CarryOptions, 'dial' | 'attemptMs'> & { client: Socket; opening: Opening }

async function firstAnswer({
  allowedMs,
  ...attempts
}: Attempts & { allowedMs: number }): Promise<Answered> {
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

async function dialUntilAnswered(
  { attemptMs, dial, opening }: Attempts,
  signal: AbortSignal,
): Promise<Answered> {
  let failure: unknown
  for (let tries = 0; ; tries += 1) {
    const attempt = attemptWithin(attemptMs * 2 ** tries, signal)
    try {
      return await answerOverOne(opening, dial, attempt.signal)
    } catch (error) {
      if (!isPassing(error)) {
        throw error
      }
      failure = signal.aborted ? (failure ?? error) : error
    } finally {
      attempt.end()
    }
    if (signal.aborted) {
      throw failure
    }
    const retryMs = Math.min(RETRY_MS * 2 ** tries, LONGEST_RETRY_MS)
    await delay(retryMs, undefined, { signal }).catch(() => {})
  }
}

/** A signal that fires after some time, or with the whole, until the attempt is ended. */
function attemptWithin(ms: number, whole: AbortSignal): { signal: AbortSignal; end: () => void } {
  const stop = new AbortController()
  const timer = setTimeout(
    () => stop.abort(new VplaneError('TIMED_OUT', `no answer within ${ms} ms`)),
    ms,
  )
  const onAbort = () => stop.abort(whole.reason)
  whole.addEventListener('abort', onAbort)
  return {
    signal: stop.signal,
    end: () => {
      clearTimeout(timer)
      whole.removeEventListener('abort', onAbort)
    },
  }
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

function join({
  answer,
  client,
  opening,
  upstream,
  lingerMs,
}: Answered & { client: Socket; opening: Opening; lingerMs: number }): void {
  client.once('close', () => upstream.destroy())
  if (client.readableEnded) {
    endSoon(upstream, lingerMs)
  } else {
    client.once('end', () => endSoon(upstream, lingerMs))
  }
  // What has come is still delivered.
  upstream.once('close', () => client.destroySoon())
  client.write(answer)
  upstream.pipe(client)
  opening.release()
  client.pipe(upstream)
}

/**
 * A port-forward cannot say that its client will say no more, and the server would wait for it for ever: so the stream
 * is ended when the server has said nothing for a while. Most clients are gone by then, rather than silent.
 */
function endSoon(upstream: Duplex, lingerMs: number): void {
  if (upstream.allowHalfOpen || upstream.destroyed) {
    return
  }
  const timer = setTimeout(() => upstream.destroy(), lingerMs)
  upstream.on('data', () => timer.refresh())
  upstream.once('close', () => clearTimeout(timer))
}
