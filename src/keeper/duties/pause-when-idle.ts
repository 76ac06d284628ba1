import type { IdleStatus } from '../../control-plane/status/keeper-records.ts'
import type { IdlePause } from '../../control-plane/driver/requests.ts'
import type { PlaneLabels } from '../../control-plane/status/to-metrics.ts'
import { formatMetrics } from '../../shared/text/format-metrics.ts'
import type { Duty, KeeperEvent } from './duty.ts'
import type { PlaneUse } from './plane-use.ts'
import type { Board } from './status-board.ts'

export interface IdlingPlane {
  /** Those of its metrics. */
  labels: PlaneLabels
  /** How long the plane must be unused before it is paused, in milliseconds. */
  idleMs: number
}

export interface IdleDependencies {
  /** Reads the use of the plane. Returns undefined when it is or is being paused, or is no longer to be paused so. */
  readUse: (signal: AbortSignal) => Promise<PlaneUse | undefined>
  /** Where the last use is recorded for users and for the next keeper. */
  board: Board<IdleStatus>
  /** Returns what records that a plane which nobody uses is paused; undefined when it may not be now. @default it may */
  mayFallAsleep?: (use: PlaneUse) => Promise<(() => Promise<void>) | undefined>
  /** Pauses the plane, or continues an interrupted pause. It must not be interrupted. */
  pause: (idle: IdlePause) => Promise<void>
  report: (event: KeeperEvent) => void
  now: () => Date
}

/** Use is read, and written to the board at most, this many times within the idle time. */
const CHECKS = 10
const MIN_INTERVAL_MS = 1000
const MAX_INTERVAL_MS = 60_000

/** Timeout of the last check before a pause, in milliseconds. */
const CHECK_TIMEOUT_MS = 10_000

/**
 * Pauses a plane that nobody has used for a time. It polls, so the pause comes up to a tenth of that time late. It does
 * not pause a plane whose API servers do not answer.
 */
export class PauseWhenIdle implements Duty {
  readonly #plane: IdlingPlane
  readonly #deps: IdleDependencies
  /** undefined until the board was read. */
  #status: IdleStatus | undefined
  /** The content of the board. */
  #published: IdleStatus = {}

  constructor(plane: IdlingPlane, deps: IdleDependencies) {
    this.#plane = plane
    this.#deps = deps
  }

  async reconcile(signal: AbortSignal): Promise<Date> {
    const { now, readUse } = this.#deps
    const { idleMs } = this.#plane
    this.#status ??= this.#published = await this.#deps.board.read(signal)
    const use = await readUse(signal)
    const usedAt = await this.#lastUse(use, signal)
    const idleAt = new Date(usedAt.getTime() + idleMs)
    if (use === undefined || idleAt <= now()) {
      await this.#pause(usedAt, use)
    }
    const intervalMs = Math.min(Math.max(idleMs / CHECKS, MIN_INTERVAL_MS), MAX_INTERVAL_MS)
    const later = new Date(now().getTime() + intervalMs)
    return idleAt > now() && idleAt < later ? idleAt : later
  }

  metrics(): string {
    const usedAt = this.#status?.usedAt
    const { labels } = this.#plane
    return formatMetrics([
      {
        name: 'vplane_last_used_timestamp_seconds',
        type: 'gauge',
        help: 'Time of the last use of the plane.',
        samples: usedAt === undefined ? [] : [{ labels, value: usedAt.getTime() / 1000 }],
      },
    ])
  }

  /** When the plane was last used. The board may lag behind a little. */
  async #lastUse(use: PlaneUse | undefined, signal: AbortSignal): Promise<Date> {
    const now = this.#deps.now()
    const { mark, usedAt } = this.#status ?? {}
    // A time in the future, written by a wrong clock, must not keep the plane running.
    const isKnown = usedAt !== undefined && usedAt <= now && mark === use?.mark && !use?.isBusy
    if (use === undefined || isKnown) {
      return usedAt ?? now
    }
    this.#status = { usedAt: now, mark: use.mark }
    const publishedMs = now.getTime() - (this.#published.usedAt?.getTime() ?? 0)
    if (publishedMs < 0 || publishedMs >= this.#plane.idleMs / CHECKS) {
      await this.#deps.board.write(this.#status, signal)
      this.#published = this.#status
    }
    return now
  }

  async #pause(since: Date, use: PlaneUse | undefined): Promise<void> {
    const { mayFallAsleep = async () => async () => {}, pause, readUse, report } = this.#deps
    const fallAsleep = use && (await mayFallAsleep(use))
    if (use !== undefined && fallAsleep === undefined) {
      return
    }
    const isStill = async () => {
      if (use === undefined) {
        return false
      }
      const latest = await readUse(AbortSignal.timeout(CHECK_TIMEOUT_MS))
      const isUnused = latest !== undefined && !latest.isBusy && latest.mark === use.mark
      if (isUnused) {
        await fallAsleep?.()
        // Reported before the pause, since a keeper in a pod ends with its plane.
        const message = `nobody has used it since ${since.toISOString()}`
        report({ level: 'normal', reason: 'PausedWhenIdle', message })
      }
      return isUnused
    }
    await pause({ since, isStill })
  }
}
