import { setTimeout as delay } from 'node:timers/promises'
import { prepareSync } from './prepare-sync.ts'
import type { ServiceRanges } from './service-ranges.ts'

/** The wait before the next attempt while the API starts, in milliseconds. */
const RETRY_MS = 50

type PreparationApi = Parameters<typeof prepareSync>[0]

/** Prepares a plane as soon as its API allows: a refused syncer or DNS server retries late. */
export class SyncPreparation implements Disposable {
  readonly #api: PreparationApi
  readonly #ranges: ServiceRanges
  readonly #stop = new AbortController()
  #attempts: Promise<boolean> | undefined

  constructor(api: PreparationApi, ranges: ServiceRanges) {
    this.#api = api
    this.#ranges = ranges
  }

  /** Starts attempts in the background; called once the API answers. */
  begin(): void {
    this.#attempts ??= this.#tryRepeatedly(this.#stop.signal)
  }

  /** Called when the API is ready, so that a refusal is final, and an error. */
  async complete(signal: AbortSignal): Promise<void> {
    this.#stop.abort()
    if ((await this.#attempts) !== true) {
      await prepareSync(this.#api, { ranges: this.#ranges, signal })
    }
  }

  [Symbol.dispose](): void {
    this.#stop.abort()
  }

  async #tryRepeatedly(signal: AbortSignal): Promise<boolean> {
    while (!signal.aborted) {
      try {
        await prepareSync(this.#api, { ranges: this.#ranges, signal })
        return true
      } catch {
        // The API still starts; `complete` reports errors.
        await delay(RETRY_MS, undefined, { signal }).catch(() => {})
      }
    }
    return false
  }
}
