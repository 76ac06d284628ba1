import { setTimeout as delay } from 'node:timers/promises'
import { prepareSync } from './prepare-sync.ts'
import type { ServiceRanges } from './service-ranges.ts'

/** How long to wait before what an API that starts did not take is tried again, in milliseconds. */
const RETRY_MS = 50

type PreparationApi = Parameters<typeof prepareSync>[0]

/**
 * Lets the syncer of a plane that runs pods do its work there, as soon as the API takes it: a syncer and a DNS server that
 * are refused ask again late.
 */
export class SyncPreparation implements Disposable {
  readonly #api: PreparationApi
  readonly #ranges: ServiceRanges
  readonly #stop = new AbortController()
  #trying: Promise<boolean> | undefined

  constructor(api: PreparationApi, ranges: ServiceRanges) {
    this.#api = api
    this.#ranges = ranges
  }

  /** The API answers, and may take it soon. */
  begin(): void {
    this.#trying ??= this.#tryOn(this.#stop.signal)
  }

  /**
   * Returns when it is done. Called when the API is ready: what it refuses now it refuses for good.
   *
   * @throws {VplaneError} what the API says.
   */
  async complete(signal: AbortSignal): Promise<void> {
    this.#stop.abort()
    if ((await this.#trying) !== true) {
      await prepareSync(this.#api, { ranges: this.#ranges, signal })
    }
  }

  [Symbol.dispose](): void {
    this.#stop.abort()
  }

  /** Whether the API took it before the signal fired. */
  async #tryOn(signal: AbortSignal): Promise<boolean> {
    while (!signal.aborted) {
      try {
        await prepareSync(this.#api, { ranges: this.#ranges, signal })
        return true
      } catch {
        // It starts: what it refuses when it is ready is said then.
        await delay(RETRY_MS, undefined, { signal }).catch(() => {})
      }
    }
    return false
  }
}
