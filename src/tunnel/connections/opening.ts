import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'

/** A TLS client sends less than this before the first answer. */
const MAX_BYTES = 64 * 1024

/**
 * The first bytes of a client, stored until the server answers.
 *
 * In TLS the client sends first, and a server without an answer has done nothing: a stream that breaks before its answer
 * can be replaced by another one that gets the same bytes, and the client does not notice.
 */
export class Opening {
  /** Resolves with true when the client has sent something, with false when it left without a byte. */
  readonly begun: Promise<boolean>
  readonly #client: Socket
  readonly #chunks: Buffer[] = []
  #bytes = 0
  readonly #listeners = new Set<Duplex>()

  constructor(client: Socket) {
    this.#client = client
    this.begun = new Promise((resolve) => {
      client.once('data', () => resolve(true))
      client.once('end', () => resolve(false))
      client.once('close', () => resolve(false))
    })
    client.on('data', this.#take)
  }

  /**
   * Sends a stream all bytes so far and each later one, also to several at a time. Returns the first answer, with the
   * stream paused after it; undefined when the stream ended without one.
   */
  answerOf(upstream: Duplex): Promise<Buffer | undefined> {
    this.#listeners.add(upstream)
    return new Promise((resolve) => {
      const silent = () => {
        this.#listeners.delete(upstream)
        resolve(undefined)
      }
      upstream.once('data', (chunk: Buffer) => {
        upstream.pause()
        resolve(chunk)
      })
      upstream.once('end', silent)
      upstream.once('close', silent)
      for (const chunk of this.#chunks) {
        upstream.write(chunk)
      }
    })
  }

  /** Stops reading from the client: the next reader gets its later bytes. */
  release(): void {
    this.#client.off('data', this.#take)
    this.#chunks.length = 0
    this.#listeners.clear()
  }

  readonly #take = (chunk: Buffer) => {
    this.#chunks.push(chunk)
    this.#bytes += chunk.length
    this.#listeners.forEach((listener) => listener.write(chunk))
    if (this.#bytes > MAX_BYTES) {
      this.#client.pause()
    }
  }
}
