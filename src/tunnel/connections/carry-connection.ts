import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { closeLingering } from '../../shared/network/close-lingering.ts'
import { firstAnswer, type FirstAnswerOptions } from './first-answer.ts'
import { Opening } from './opening.ts'

export interface CarryOptions extends Pick<
  FirstAnswerOptions,
  'dial' | 'attemptMs' | 'additional'
> {
  /**
   * How long one side may take to end after the other, in milliseconds: the server, if its stream cannot be told, without
   * a byte; the client, after it got all.
   */
  lingerMs: number
  /** Called at the first byte of the client. Returns how long it may wait for the answer, in milliseconds. */
  onBegin: () => number
  onAnswer: (upstream: Duplex) => void
  /** Called when no answer comes, before the connection is reset. */
  onFailure: (error: unknown) => void
}

/**
 * Carries one connection of a client, byte for byte, until it closes; never rejects.
 *
 * It dials only after the client has sent a byte, so a check of the port costs the host nothing. It replaces a stream that
 * breaks before its answer. After the answer the directions are independent: each has backpressure, and may end while the
 * other continues.
 */
export async function carryConnection(client: Socket, options: CarryOptions): Promise<void> {
  // Its close is handled.
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
    client.once('close', () => upstream.destroy())
    const onEnd = () => endSoon(upstream, options.lingerMs)
    if (client.readableEnded) {
      onEnd()
    } else {
      client.once('end', onEnd)
    }
    // Received data is still delivered.
    upstream.once('close', () => closeLingering(client, options.lingerMs))
    client.write(answer)
    upstream.pipe(client)
    opening.release()
    client.pipe(upstream)
  } catch (error) {
    if (!client.destroyed) {
      // Before the reset, so that a client that retries at once is refused.
      options.onFailure(error)
      // Clients would take an end for one of the server.
      client.resetAndDestroy()
    }
  }
}

/** A port-forward cannot signal the client's end: its stream ends once the server is silent. */
function endSoon(upstream: Duplex, lingerMs: number): void {
  if (upstream.allowHalfOpen || upstream.destroyed) {
    return
  }
  const timer = setTimeout(() => upstream.destroy(), lingerMs)
  upstream.on('data', () => timer.refresh())
  upstream.once('close', () => clearTimeout(timer))
}
