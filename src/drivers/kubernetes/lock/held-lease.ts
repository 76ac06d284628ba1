import { VplaneError } from '../../../shared/errors.ts'
import { objectPath } from '../collections.ts'
import type { HostApi, HostObject } from '../host-api.ts'
import { lockName, type PlacedName } from '../object-names.ts'
import { holderOf, type LeaseHolder, renewedLease } from './lease-object.ts'

/** How long letting go may take, in milliseconds: what is not let go ends by itself. */
const RELEASE_MS = 5000

const MAX_TRIES = 2

/** A Lease that this process holds and renews until it is disposed. */
export class HeldLease implements AsyncDisposable {
  readonly holder: string
  readonly #api: HostApi
  readonly #options: PlacedName & LeaseHolder
  readonly #path: string
  readonly #timer: NodeJS.Timeout
  readonly #ended = new AbortController()
  #lease: HostObject
  /** When the last renewal that succeeded was sent: from then on it counts, however long the answer took. */
  #renewedAt: Date
  #renewal: Promise<void> | undefined
  #loss: string | undefined

  constructor(
    api: HostApi,
    lease: HostObject,
    options: PlacedName & LeaseHolder & { sentAt: Date },
  ) {
    this.holder = options.holder
    this.#api = api
    this.#lease = lease
    this.#options = options
    this.#renewedAt = options.sentAt
    this.#path = objectPath('leases', {
      name: lockName(options.name),
      namespace: options.namespace,
    })
    this.#timer = setInterval(() => void this.#renewOnce(), options.times.renewMs).unref()
  }

  /**
   * To be called before each write. After 10 s of wall time without a renewal, as on a laptop that slept or is overloaded,
   * it renews first: that succeeds only when nobody took the Lease meanwhile.
   *
   * @throws {VplaneError} `CONFLICT` when somebody else may hold the plane by now: the Lease was lost, or cannot be renewed.
   */
  async check(): Promise<void> {
    const { name, times } = this.#options
    const isSilent = () => this.#loss === undefined && this.#silentMs() > times.graceMs
    // The first one may have been on its way for long, or conflict with itself.
    for (let tries = 0; tries < MAX_TRIES && isSilent(); tries += 1) {
      await this.#renewOnce()
    }
    const seconds = Math.round(this.#silentMs() / 1000)
    const reason = isSilent() ? `its lock was not renewed for ${seconds} s` : this.#loss
    if (reason !== undefined) {
      throw new VplaneError('CONFLICT', `stopped working on "${name}": ${reason}`, {
        hints: ['run the command again: it goes on from where it was'],
      })
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer)
    this.#ended.abort()
    await this.#renewal
    const { resourceVersion, uid } = this.#lease.metadata
    if (this.#loss !== undefined) {
      return
    }
    try {
      await this.#api.delete(this.#path, {
        signal: AbortSignal.timeout(RELEASE_MS),
        ...(uid === undefined ? {} : { uid }),
        ...(resourceVersion === undefined ? {} : { resourceVersion }),
      })
    } catch {
      // It ends by itself, and nobody who comes next has to wait for a process that is gone.
    }
  }

  #silentMs(): number {
    return this.#options.now().getTime() - this.#renewedAt.getTime()
  }

  #renewOnce(): Promise<void> {
    this.#renewal ??= this.#renew().finally(() => {
      this.#renewal = undefined
    })
    return this.#renewal
  }

  async #renew(): Promise<void> {
    const { now, times } = this.#options
    const sentAt = now()
    const signal = AbortSignal.any([this.#ended.signal, AbortSignal.timeout(times.graceMs)])
    try {
      this.#lease = await this.#api.replace(this.#path, renewedLease(this.#lease, sentAt), {
        signal,
      })
      this.#renewedAt = sentAt
    } catch (error) {
      if (error instanceof VplaneError && ['CONFLICT', 'NOT_FOUND'].includes(error.code)) {
        await this.#lookWhoHolds()
      }
      // Otherwise the next renewal may succeed, and until then the time is counted.
    }
  }

  /** A request that was sent twice because its answer was lost conflicts with itself: that is no loss. */
  async #lookWhoHolds(): Promise<void> {
    try {
      const lease = await this.#api.get(this.#path, { signal: this.#ended.signal })
      if (lease !== undefined && holderOf(lease) === this.holder) {
        this.#lease = lease
        return
      }
      this.#loss = 'another vplane took its lock'
    } catch {
      // The next renewal tells.
    }
  }
}
