import type { Duplex } from 'node:stream'
import type { Dial } from './dial.ts'

/** Dials a plane, and owns the connection to the host for it. */
export interface DialSource extends AsyncDisposable {
  dial: Dial
}

/** A younger source has read its kubeconfig and login recently, and is not renewed. */
const YOUNG_MS = 30_000

/**
 * Dials over a source that it opens when needed, and opens again when an older one fails: the kubeconfig may have changed.
 * An old source is closed with its last stream.
 */
export class RenewableDial implements AsyncDisposable {
  readonly #open: () => Promise<DialSource>
  readonly #now: () => number
  readonly #sources = new Set<OpenSource>()
  #current: Promise<OpenSource> | undefined
  #openedAt = 0

  constructor(open: () => Promise<DialSource>, now: () => number = () => performance.now()) {
    this.#open = open
    this.#now = now
  }

  readonly dial: Dial = async (signal) => {
    const opening = (this.#current ??= this.#openSource())
    try {
      return await (await opening).dial(signal)
    } catch (error) {
      if (this.#current === opening && this.#now() - this.#openedAt >= YOUNG_MS) {
        this.renew()
      }
      throw error
    }
  }

  /** The next dial opens a new source. */
  renew(): void {
    const current = this.#current
    this.#current = undefined
    current?.then(
      (source) => source.retire(),
      () => {},
    )
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#current = undefined
    await Promise.all([...this.#sources].map((source) => source.close()))
  }

  async #openSource(): Promise<OpenSource> {
    this.#openedAt = this.#now()
    try {
      const source = new OpenSource(await this.#open(), () => this.#sources.delete(source))
      this.#sources.add(source)
      return source
    } catch (error) {
      this.#current = undefined
      throw error
    }
  }
}

/** A source and the number of its users. */
class OpenSource {
  readonly #source: DialSource
  readonly #onClose: () => void
  #users = 0
  #isRetired = false

  constructor(source: DialSource, onClose: () => void) {
    this.#source = source
    this.#onClose = onClose
  }

  async dial(signal: AbortSignal): Promise<Duplex> {
    this.#users += 1
    try {
      const stream = await this.#source.dial(signal)
      stream.once('close', () => this.#release())
      return stream
    } catch (error) {
      this.#release()
      throw error
    }
  }

  retire(): void {
    this.#isRetired = true
    this.#closeIfUnused()
  }

  async close(): Promise<void> {
    this.#onClose()
    await this.#source[Symbol.asyncDispose]()
  }

  #release(): void {
    this.#users -= 1
    this.#closeIfUnused()
  }

  #closeIfUnused(): void {
    if (this.#isRetired && this.#users === 0) {
      // It is unused: an error of its end has no effect.
      this.close().catch(() => {})
    }
  }
}
