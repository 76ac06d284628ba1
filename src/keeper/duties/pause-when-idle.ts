import type { IdleStatus } from '../../control-plane/status/idle-record.ts'
import type { IdlePause } from '../../control-plane/driver/requests.ts'
import { formatMetrics } from '../../shared/text/format-metrics.ts'
import type { Duty, KeeperEvent } from './duty.ts'
import type { PlaneUse } from './plane-use.ts'
import type { Board } from './status-board.ts'

/** A plane that pauses itself. */
export interface IdlingPlane {
  name: string
  /** How long nobody uses it before it does, in milliseconds. */
  idleMs: number
}

/** What a plane that pauses itself needs of the world. */
export interface IdleDependencies {
  /**
   * How much it was used.
   *
   * @returns undefined when it rests, is on its way there, or is not to pause itself after that time any more.
   */
  readUse: (signal: AbortSignal) => Promise<PlaneUse | undefined>
  /** Where it is written down, for those who ask and for the next keeper. */
  board: Board<IdleStatus>
  /** Pauses the plane, or goes on with that. Once begun it is not to be cut off. */
  pause: (idle: IdlePause) => Promise<void>
  report: (event: KeeperEvent) => void
  now: () => Date
}

/** So often within its time a plane is looked at, and its use written down at most. */
const OBSERVERS = 10
const SHORTEST_INTERVAL_MS = 1000
const LONGEST_INTERVAL_MS = 60_000

/** How long the last look may take, in milliseconds. */
const LAST_LOOK_MS = 10_000

/**
 * Pauses a plane that nobody has used for so long. Use is seen by looks, so it comes up to a tenth of the time too late;
 * what cannot be seen, because the plane does not answer, is no reason to pause it.
 */
export class PauseWhenIdle implements Duty {
  readonly #plane: IdlingPlane
  readonly #deps: IdleDependencies
  /** undefined until the board was read. */
  #status: IdleStatus | undefined
  /** What the board says. */
  #said: IdleStatus = {}

  constructor(plane: IdlingPlane, deps: IdleDependencies) {
    this.#plane = plane
    this.#deps = deps
  }

  async look(signal: AbortSignal): Promise<Date> {
    const { now, readUse } = this.#deps
    const { idleMs } = this.#plane
    this.#status ??= this.#said = await this.#deps.board.read(signal)
    const use = await readUse(signal)
    const usedAt = await this.#lastUse(use, signal)
    const idleAt = new Date(usedAt.getTime() + idleMs)
    if (use === undefined || idleAt <= now()) {
      await this.#pause(usedAt, use)
    }
    const lookMs = Math.min(Math.max(idleMs / OBSERVERS, SHORTEST_INTERVAL_MS), LONGEST_INTERVAL_MS)
    const later = new Date(now().getTime() + lookMs)
    return idleAt > now() && idleAt < later ? idleAt : later
  }

  metrics(): string {
    const usedAt = this.#status?.usedAt
    const labels = { plane: this.#plane.name }
    return formatMetrics([
      {
        name: 'vplane_last_used_timestamp_seconds',
        type: 'gauge',
        help: 'When somebody used the plane last.',
        samples: usedAt === undefined ? [] : [{ labels, value: usedAt.getTime() / 1000 }],
      },
    ])
  }

  /** When the plane was used last; what the board says of that is a little older at times. */
  async #lastUse(use: PlaneUse | undefined, signal: AbortSignal): Promise<Date> {
    const now = this.#deps.now()
    const { mark, usedAt } = this.#status ?? {}
    // A time that a clock ahead of ours has written must not keep the plane awake.
    const isKnown = usedAt !== undefined && usedAt <= now && mark === use?.mark && !use?.isBusy
    if (use === undefined || isKnown) {
      return usedAt ?? now
    }
    this.#status = { usedAt: now, mark: use.mark }
    const saidMs = now.getTime() - (this.#said.usedAt?.getTime() ?? 0)
    if (saidMs < 0 || saidMs >= this.#plane.idleMs / OBSERVERS) {
      await this.#deps.board.write(this.#status, signal)
      this.#said = this.#status
    }
    return now
  }

  async #pause(since: Date, use: PlaneUse | undefined): Promise<void> {
    const { pause, readUse, report } = this.#deps
    const isStill = async () => {
      const seen = await readUse(AbortSignal.timeout(LAST_LOOK_MS))
      const isUnused = seen !== undefined && !seen.isBusy && seen.mark === use?.mark
      if (isUnused) {
        // A keeper in a pod ends with its plane, and could not tell any more.
        const message = `nobody has used it since ${since.toISOString()}`
        report({ level: 'normal', reason: 'PausedWhenIdle', message })
      }
      return isUnused
    }
    await pause({ since, isStill })
  }
}
