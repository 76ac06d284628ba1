import {
  alarmsOf,
  endOf,
  isSame,
  type PlaneAlarm,
} from '../../control-plane/status/plane-alarms.ts'
import type { PlaneFigures } from '../../control-plane/status/plane-figures.ts'
import { toMetrics } from '../../control-plane/status/to-metrics.ts'
import { formatMetrics } from '../../shared/text/format-metrics.ts'
import type { Duty, KeeperEvent } from './duty.ts'
import type { Board } from './status-board.ts'

export interface WatchDependencies {
  /** How the plane works now; undefined while it is not to run. */
  measure: (signal: AbortSignal) => Promise<PlaneFigures | undefined>
  /** Whether somebody works on the plane; asked only when a component of it has stopped working. */
  isChanging: (signal: AbortSignal) => Promise<boolean>
  /** Where others see what is wrong, and where the keeper that comes next goes on. */
  board: Board<readonly PlaneAlarm[]>
  report: (event: KeeperEvent) => void
  now: () => Date
}

/** How often a plane is looked at, in milliseconds: what fails is said within ten seconds. */
const LOOK_MS = 3000

/** PlaneObserver how a plane works, says it as metrics, and tells when something goes wrong or is well again: once each. */
export class PlaneWatch implements Duty {
  readonly #plane: string
  readonly #deps: WatchDependencies
  #since: Date
  readonly #seenUp = new Set<string>()
  readonly #downSince = new Map<string, Date>()
  /** undefined until the board was read. */
  #alarms: readonly PlaneAlarm[] | undefined
  #figures: PlaneFigures | undefined

  constructor(plane: string, deps: WatchDependencies) {
    this.#plane = plane
    this.#deps = deps
    this.#since = deps.now()
  }

  async look(signal: AbortSignal): Promise<Date> {
    const { board, now } = this.#deps
    this.#alarms ??= await board.read(signal)
    let found = await this.#measure(signal)
    if (this.#hasStopped(found)) {
      // What was measured in the last moment of a change is over by now.
      found = (await this.#deps.isChanging(signal)) ? this.#letStart() : await this.#measure(signal)
    }
    await this.#settle(found, signal)
    return new Date(now().getTime() + LOOK_MS)
  }

  metrics(): string {
    if (this.#figures === undefined) {
      return ''
    }
    return formatMetrics([
      ...toMetrics(this.#plane, this.#figures, this.#deps.now()),
      {
        name: 'vplane_alarm',
        type: 'gauge',
        help: 'What is wrong with the plane.',
        samples: (this.#alarms ?? []).map(({ reason, subject }) => ({
          labels: { plane: this.#plane, reason, subject },
          value: 1,
        })),
      },
    ])
  }

  async #measure(signal: AbortSignal): Promise<PlaneAlarm[]> {
    const { measure, now } = this.#deps
    this.#figures = await measure(signal)
    if (this.#figures === undefined) {
      // It has all to start again.
      this.#since = now()
      this.#seenUp.clear()
      this.#downSince.clear()
    }
    for (const { isUp, name } of this.#figures?.components ?? []) {
      if (isUp) {
        this.#seenUp.add(name)
        this.#downSince.delete(name)
      } else if (!this.#downSince.has(name)) {
        this.#downSince.set(name, now())
      }
    }
    return this.#found()
  }

  /** What a change stops has to start like new: the API may need longer for that than the change lasts. */
  #letStart(): PlaneAlarm[] {
    for (const name of this.#downSince.keys()) {
      this.#seenUp.delete(name)
    }
    return this.#found()
  }

  #found(): PlaneAlarm[] {
    const former = {
      alarms: this.#alarms ?? [],
      seenUp: this.#seenUp,
      since: this.#since,
      downSince: this.#downSince,
    }
    return this.#figures === undefined ? [] : alarmsOf(this.#figures, former, this.#deps.now())
  }

  #hasStopped(found: readonly PlaneAlarm[]): boolean {
    return found.some(
      (alarm) =>
        alarm.reason === 'ComponentNotReady' &&
        this.#alarms?.some((one) => isSame(one, alarm)) !== true,
    )
  }

  /** What is told is written down first: whoever comes next does not tell it again. */
  async #settle(alarms: readonly PlaneAlarm[], signal: AbortSignal): Promise<void> {
    const { board, report } = this.#deps
    const former = this.#alarms ?? []
    const begun = alarms.filter((alarm) => !former.some((one) => isSame(one, alarm)))
    const ended = former.filter((alarm) => !alarms.some((one) => isSame(one, alarm)))
    if (begun.length + ended.length > 0) {
      await board.write(alarms, signal)
    }
    this.#alarms = alarms
    for (const { message, reason } of begun) {
      report({ level: 'warning', reason, message })
    }
    // Of a plane that rests nothing is well again.
    for (const { message, reason } of this.#figures === undefined ? [] : ended) {
      report({ level: 'normal', reason: endOf(reason), message: `over: ${message}` })
    }
  }
}
