import { VplaneError } from '../../../shared/errors.ts'
import { objectPath } from '../collections.ts'
import type { HostApi, HostObject } from '../host-api.ts'
import { lockName, type PlacedName } from '../object-names.ts'
import { holderOf, type LeaseHolder, renewedLease } from './lease-object.ts'

/** How long letting go may take, in milliseconds: what is not let go ends by itself. */
const RELEASE_MS = 5000

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
    this.#timer = setInterval(() => this.#renewOnce(), options.times.renewMs).unref()
  }

  /**
   * To be called before each write.
   *
   * @throws {VplaneError} `CONFLICT` when somebody else may hold the plane by now: the Lease was lost, or could not be
   * renewed for 10 s of wall time, as on a laptop that slept.
   */
  check(): void {
    const { name, now, times } = this.#options
    const silentMs = now().getTime() - this.#renewedAt.getTime()
    const reason =
      this.#loss ??
      (silentMs > times.graceMs
        ? `its lock was not renewed for ${Math.round(silentMs / 1000)} s`
        : undefined)
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

  #renewOnce(): void {
    this.#renewal ??= this.#renew().finally(() => {
      this.#renewal = undefined
    })
  }

  async #renew(): Promise<void> {
    const { now } = this.#options
    const sentAt = now()
    const { signal } = this.#ended
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
