import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'

/** A client of TLS says less than this before it is answered. */
const MOST_BYTES = 64 * 1024

/**
 * The first words of a client, kept until somebody has answered them.
 *
 * In TLS the client begins, and nothing happens on the other side before it has answered: a stream that breaks without
 * an answer can be replaced by another one, which is told the same words, and the client does not notice.
 */
export class Opening {
  /** Resolves with true when the client has said something, with false when it left without a word. */
  readonly begun: Promise<boolean>
  readonly #client: Socket
  readonly #words: Buffer[] = []
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
   * Tells a stream all that was said, and goes on with what is said meanwhile. Several may be told at a time.
   *
   * @returns the first answer, with the stream paused behind it; undefined when the stream ended without one.
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
      for (const chunk of this.#words) {
        upstream.write(chunk)
      }
    })
  }

  /** Lets go of the client: whoever reads from it next gets what it says from now on. */
  release(): void {
    this.#client.off('data', this.#take)
    this.#words.length = 0
    this.#listeners.clear()
  }

  readonly #take = (chunk: Buffer) => {
    this.#words.push(chunk)
    this.#bytes += chunk.length
    this.#listeners.forEach((listener) => listener.write(chunk))
    if (this.#bytes > MOST_BYTES) {
      this.#client.pause()
    }
  }
}
