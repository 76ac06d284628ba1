import { isEndingWithin } from '../../control-plane/status/certificate-ends.ts'
import type { PlaneCertificate } from '../../control-plane/driver/plane-certificates.ts'
import type { RenewalStatus } from '../../control-plane/status/plane-figures.ts'
import { RENEW_WITHIN_MS } from '../../pki/issue/lifetimes.ts'
import { messageOf } from '../../shared/errors.ts'
import type { Duty, KeeperEvent } from './duty.ts'

/** What the renewal of certificates needs of the world. */
export interface RenewalDependencies {
  /** The plane's certificates, as they are brought to its pods. */
  certificates: () => Promise<PlaneCertificate[]>
  /**
   * Issues those leaves anew that end soon, or goes on with that.
   *
   * @returns their names; undefined when it is not the time, as somebody else works on the plane.
   */
  renew: (signal: AbortSignal) => Promise<string[] | undefined>
  report: (event: KeeperEvent) => void
  now: () => Date
}

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

/** When it is looked again, in milliseconds. */
const AGAIN_MS = {
  /** After all was well. */
  well: HOUR_MS,
  /** After certificates were issued, which take their time to come here, or cannot last longer than their CA. */
  issued: 24 * HOUR_MS,
  /** After somebody else was found to work on the plane. */
  busy: MINUTE_MS,
  /** After it failed. */
  failed: 10 * MINUTE_MS,
} as const

/**
 * Renews leaf certificates of a plane in their last 90 days. What is due, the certificates say, so that one that was cut
 * off at any moment goes on by looking again. Keys are read only then.
 */
export class LeafRenewal implements Duty {
  readonly #deps: RenewalDependencies
  #nextAt: Date | undefined
  #status: RenewalStatus | undefined

  constructor(deps: RenewalDependencies) {
    this.#deps = deps
  }

  /** How it stands; undefined before the first look is done. */
  get status(): RenewalStatus | undefined {
    return this.#status
  }

  async look(signal: AbortSignal): Promise<Date> {
    const now = this.#deps.now()
    if (this.#nextAt === undefined || this.#nextAt <= now) {
      const outcome = await this.#attempt(now, signal)
      this.#nextAt = new Date(now.getTime() + AGAIN_MS[outcome])
    }
    return this.#nextAt
  }

  /** One that fails is a status, of which whoever watches the plane tells. */
  async #attempt(now: Date, signal: AbortSignal): Promise<keyof typeof AGAIN_MS> {
    const { certificates, renew } = this.#deps
    try {
      const isDue = (await certificates()).some(
        ({ expiresAt, kind }) => kind === 'leaf' && isEndingWithin(RENEW_WITHIN_MS, expiresAt, now),
      )
      const issued = isDue ? await renew(signal) : []
      if (issued === undefined) {
        return 'busy'
      }
      this.#status = {}
      this.#reportIssued(issued)
      return isDue ? 'issued' : 'well'
    } catch (error) {
      signal.throwIfAborted()
      this.#status = { failure: messageOf(error) }
      return 'failed'
    }
  }

  #reportIssued(names: readonly string[]): void {
    if (names.length > 0) {
      const message = `issued anew before they end: ${names.join(', ')}`
      this.#deps.report({ level: 'normal', reason: 'CertificatesIssued', message })
    }
  }
}
