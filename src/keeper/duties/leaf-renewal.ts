import { isEndingWithin } from '../../control-plane/status/certificate-ends.ts'
import type { PlaneCertificate } from '../../control-plane/driver/plane-certificates.ts'
import type { RenewalStatus } from '../../control-plane/status/plane-figures.ts'
import { RENEW_WITHIN_MS } from '../../pki/issue/lifetimes.ts'
import { messageOf } from '../../shared/errors.ts'
import type { Duty, KeeperEvent } from './duty.ts'

export interface RenewalDependencies {
  /** Reads the plane's certificates as its pods have them. */
  certificates: () => Promise<PlaneCertificate[]>
  /** Renews leaves that expire soon, also after an interruption. Undefined while someone else changes the plane. */
  renew: (signal: AbortSignal) => Promise<string[] | undefined>
  report: (event: KeeperEvent) => void
  now: () => Date
}

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

/** The time until the next check, in milliseconds. */
const INTERVAL_MS = {
  nothingDue: HOUR_MS,
  /** Renewed certificates take time to reach this pod, and some cannot outlive their CA. */
  issued: 24 * HOUR_MS,
  /** Someone else changes the plane. */
  busy: MINUTE_MS,
  failed: 10 * MINUTE_MS,
} as const

/** Renews leaf certificates in their last 90 days, and reads keys only then. The certificates show what is due. */
export class LeafRenewal implements Duty {
  readonly #deps: RenewalDependencies
  #nextAt: Date | undefined
  #status: RenewalStatus | undefined

  constructor(deps: RenewalDependencies) {
    this.#deps = deps
  }

  /** undefined before the first check. */
  get status(): RenewalStatus | undefined {
    return this.#status
  }

  async reconcile(signal: AbortSignal): Promise<Date> {
    const now = this.#deps.now()
    if (this.#nextAt === undefined || this.#nextAt <= now) {
      const outcome = await this.#attempt(now, signal)
      this.#nextAt = new Date(now.getTime() + INTERVAL_MS[outcome])
    }
    return this.#nextAt
  }

  /** A failure becomes the status, which `PlaneWatch` reports as an alarm. */
  async #attempt(now: Date, signal: AbortSignal): Promise<keyof typeof INTERVAL_MS> {
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
      return isDue ? 'issued' : 'nothingDue'
    } catch (error) {
      signal.throwIfAborted()
      this.#status = { failure: messageOf(error) }
      return 'failed'
    }
  }

  #reportIssued(names: readonly string[]): void {
    if (names.length > 0) {
      const message = `renewed before they expire: ${names.join(', ')}`
      this.#deps.report({ level: 'normal', reason: 'CertificatesIssued', message })
    }
  }
}
