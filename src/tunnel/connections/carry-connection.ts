import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Dial } from './dial.ts'
import { type Answered, firstAnswer } from './first-answer.ts'
import { Opening } from './opening.ts'

export interface CarryOptions {
  dial: Dial
  /** How long the server may be silent when the client has ended, in milliseconds, where it cannot be told so. */
  lingerMs: number
  /** How long streams may be silent before one more is tried beside them, in milliseconds; each time twice as long. */
  attemptMs: number
  /** The client has begun to speak: returns how long it may wait for its first answer, in milliseconds. */
  onBegin: () => number
  /** Somebody has answered it. */
  onAnswer: (upstream: Duplex) => void
  /** Nobody answers it: its connection is reset. */
  onFailure: (error: unknown) => void
}

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
