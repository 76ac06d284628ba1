import { isVplaneError, VplaneError } from '../../shared/errors.ts'
import type { KubeClient } from '../client/client.ts'
import type { KubeObject } from '../../shared/kube/kube-object.ts'
import { holderOf, type LeaseClaim, leasePath, renewedLease } from './lease-object.ts'

/** Time limit to release a Lease, in milliseconds: a Lease that is not released expires. */
const RELEASE_MS = 5000

const MAX_TRIES = 2

export type LeaseApi = Pick<KubeClient, 'get' | 'replace' | 'delete'>

/** A Lease that this process holds and renews until it is disposed. */
export class HeldLease implements AsyncDisposable {
  readonly holder: string
  readonly #api: LeaseApi
  readonly #claim: LeaseClaim
  readonly #path: string
  readonly #timer: NodeJS.Timeout
  readonly #ended = new AbortController()
  readonly #loss = new AbortController()
  #lease: KubeObject
  /** When the last successful renewal was sent: the duration counts from then, not from the response. */
  #renewedAt: Date
  #renewal: Promise<void> | undefined

  constructor(api: LeaseApi, lease: KubeObject, claim: LeaseClaim & { sentAt: Date }) {
    this.holder = claim.holder
    this.#api = api
    this.#lease = lease
    this.#claim = claim
    this.#renewedAt = claim.sentAt
    this.#path = leasePath(claim)
    this.#timer = setInterval(() => void this.#renewOnce(), claim.times.renewMs).unref()
  }

  /** Fires when another holder has the Lease, with the error to throw. */
  get lost(): AbortSignal {
    return this.#loss.signal
  }

  /**
   * Call this before each write. After 10 s of wall time without a renewal (the machine slept or is overloaded) it renews
   * first, which succeeds only if no other holder took the Lease.
   *
   * @throws {VplaneError} `CONFLICT` when another holder may have it: it was lost, or cannot be renewed.
   */
  async check(): Promise<void> {
    const { times } = this.#claim
    const isSilent = () => !this.lost.aborted && this.#silentMs() > times.graceMs
    // The first renewal may have been in flight for long, or conflict with itself.
    for (let tries = 0; tries < MAX_TRIES && isSilent(); tries += 1) {
      await this.#renewOnce()
    }
    this.lost.throwIfAborted()
    if (isSilent()) {
      const seconds = Math.round(this.#silentMs() / 1000)
      throw this.#stopped(`its lock was not renewed for ${seconds} s`)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer)
    this.#ended.abort()
    await this.#renewal
    if (this.lost.aborted) {
      return
    }
    try {
      await this.#release(AbortSignal.timeout(RELEASE_MS))
    } catch {
      // The Lease expires, and the next holder detects that this process has ended.
    }
  }

  /** An aborted renewal may have reached the server: the stored Lease then differs from the known one. */
  async #release(signal: AbortSignal): Promise<void> {
    for (;;) {
      const { resourceVersion, uid } = this.#lease.metadata
      try {
        await this.#api.delete(this.#path, { signal, uid, resourceVersion })
        return
      } catch (error) {
        if (!isVplaneError(error, 'CONFLICT')) {
          throw error
        }
      }
      const lease = await this.#api.get(this.#path, { signal })
      if (lease === undefined || holderOf(lease) !== this.holder) {
        return
      }
      this.#lease = lease
    }
  }

  #stopped(reason: string): VplaneError {
    const { hints = [], what } = this.#claim.purpose
    return new VplaneError('CONFLICT', `stopped ${what}: ${reason}`, { hints })
  }

  #silentMs(): number {
    return this.#claim.now().getTime() - this.#renewedAt.getTime()
  }

  #renewOnce(): Promise<void> {
    this.#renewal ??= this.#renew().finally(() => (this.#renewal = undefined))
    return this.#renewal
  }

  async #renew(): Promise<void> {
    const { now, times } = this.#claim
    const sentAt = now()
    const signal = AbortSignal.any([this.#ended.signal, AbortSignal.timeout(times.graceMs)])
    try {
      this.#lease = await this.#api.replace(this.#path, renewedLease(this.#lease, sentAt), {
        signal,
      })
      this.#renewedAt = sentAt
    } catch (error) {
      if (isVplaneError(error, 'CONFLICT', 'NOT_FOUND')) {
        await this.#readHolder()
      }
      // Otherwise the next renewal may succeed; `check` limits the time until then.
    }
  }

  /** A request sent twice because its response was lost conflicts with itself: the Lease is not lost then. */
  async #readHolder(): Promise<void> {
    try {
      const lease = await this.#api.get(this.#path, { signal: this.#ended.signal })
      if (lease !== undefined && holderOf(lease) === this.holder) {
        this.#lease = lease
        return
      }
      this.#loss.abort(this.#stopped('another vplane took its lock'))
    } catch {
      // The next renewal finds out.
    }
  }
}
