import {
  alarmsOf,
  endOf,
  isSame,
  type PlaneAlarm,
} from '../../control-plane/status/plane-alarms.ts'
import type { PlaneFigures } from '../../control-plane/status/plane-figures.ts'
import { type PlaneLabels, toMetrics } from '../../control-plane/status/to-metrics.ts'
import { formatMetrics } from '../../shared/text/format-metrics.ts'
import type { Duty, KeeperEvent } from './duty.ts'
import type { Board } from './status-board.ts'

export interface WatchDependencies {
  /** Measures the plane. Returns undefined while it is not to run. */
  measure: (signal: AbortSignal) => Promise<PlaneFigures | undefined>
  /** Whether someone changes the plane. Called only when a component has stopped working. */
  isChanging: (signal: AbortSignal) => Promise<boolean>
  /** Where the alarms are published, and where the next keeper reads them. */
  board: Board<readonly PlaneAlarm[]>
  report: (event: KeeperEvent) => void
  now: () => Date
}

/** A failure is reported within ten seconds. */
const POLL_INTERVAL_MS = 3000

/** Measures a plane, serves the result as metrics, and reports once when an alarm starts, and once when it ends. */
export class PlaneWatch implements Duty {
  readonly #labels: PlaneLabels
  readonly #deps: WatchDependencies
  #since: Date
  readonly #observedUp = new Set<string>()
  readonly #downSince = new Map<string, Date>()
  /** undefined until the board was read. */
  #alarms: readonly PlaneAlarm[] | undefined
  #figures: PlaneFigures | undefined

  constructor(labels: PlaneLabels, deps: WatchDependencies) {
    this.#labels = labels
    this.#deps = deps
    this.#since = deps.now()
  }

  async reconcile(signal: AbortSignal): Promise<Date> {
    const { board, now } = this.#deps
    this.#alarms ??= await board.read(signal)
    let found = await this.#measure(signal)
    if (this.#hasStopped(found)) {
      // The failure may belong to a change that has just ended: measure again.
      found = (await this.#deps.isChanging(signal)) ? this.#letStart() : await this.#measure(signal)
    }
    await this.#publish(found, signal)
    return new Date(now().getTime() + POLL_INTERVAL_MS)
  }

  metrics(): string {
    if (this.#figures === undefined) {
      return ''
    }
    return formatMetrics([
      ...toMetrics(this.#labels, this.#figures, this.#deps.now()),
      {
        name: 'vplane_alarm',
        type: 'gauge',
        help: 'Active alarms of the plane.',
        samples: (this.#alarms ?? []).map(({ reason, subject }) => ({
          labels: { ...this.#labels, reason, subject },
          value: 1,
        })),
      },
    ])
  }

  async #measure(signal: AbortSignal): Promise<PlaneAlarm[]> {
    const { measure, now } = this.#deps
    this.#figures = await measure(signal)
    if (this.#figures === undefined) {
      this.#since = now()
      this.#observedUp.clear()
      this.#downSince.clear()
    }
    for (const { isUp, name } of this.#figures?.components ?? []) {
      if (isUp) {
        this.#observedUp.add(name)
        this.#downSince.delete(name)
      } else if (!this.#downSince.has(name)) {
        this.#downSince.set(name, now())
      }
    }
    return this.#found()
  }

  /** Treats components that a change has stopped as starting: the API may start for longer than the change lasts. */
  #letStart(): PlaneAlarm[] {
    for (const name of this.#downSince.keys()) {
      this.#observedUp.delete(name)
    }
    return this.#found()
  }

  #found(): PlaneAlarm[] {
    const former = {
      alarms: this.#alarms ?? [],
      observedUp: this.#observedUp,
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

  /** Writes the board before it reports: so the next keeper does not report the same again. */
  async #publish(alarms: readonly PlaneAlarm[], signal: AbortSignal): Promise<void> {
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
    // Alarms of a plane that was paused are dropped without a report.
    for (const { message, reason } of this.#figures === undefined ? [] : ended) {
      report({ level: 'normal', reason: endOf(reason), message: `resolved: ${message}` })
    }
  }
}
