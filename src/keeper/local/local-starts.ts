import type { Driver } from '../../control-plane/driver/driver.ts'
import { isWokenByAny } from '../../control-plane/plane/is-woken-by-any.ts'
import type { Plane } from '../../control-plane/plane/plane.ts'
import type { WakeSource } from '../../control-plane/status/wake-status.ts'
import { findAgain } from '../../control-plane/use-cases/find/find-again.ts'
import { Turns } from '../../shared/concurrency/turns.ts'
import { messageOf } from '../../shared/errors.ts'
import { omitUndefined } from '../../shared/omit-undefined.ts'
import type { KeeperEvent } from '../duties/duty.ts'
import type { Wakes } from '../wake/wakes.ts'
import { startOrSleep } from './start-or-sleep.ts'

/** A plane that starts takes a core for some seconds. */
const AT_ONCE = 4
const LONG_MS = 15_000

export interface StartsDependencies {
  driver: Pick<Driver, 'find' | 'isRunning' | 'pause' | 'start'>
  wakes: Pick<Wakes, 'admit' | 'failed' | 'woken'>
  log: (line: string) => void
  /** Stores what happens to a plane, for its users. */
  report: (name: string, event: KeeperEvent) => void
  signal: AbortSignal
}

/** The client for which a plane starts. */
interface StartingClient {
  serverName?: string
  source: WakeSource | undefined
}

/** Starts local planes that sleep, a few at a time. One of a process. */
export class LocalStarts implements AsyncDisposable {
  readonly #deps: StartsDependencies
  readonly #starts = new Map<string, Promise<void>>()
  readonly #turns = new Turns({ atOnce: AT_ONCE, longMs: LONG_MS })

  constructor(deps: StartsDependencies) {
    this.#deps = deps
  }

  /** Waits for the start of a plane; undefined when it is not being started. */
  of(id: string): Promise<void> | undefined {
    return this.#starts.get(id)
  }

  /** Begins to continue a start that was interrupted. Returns false when it is not to be tried again now. */
  async resume(plane: Plane): Promise<boolean> {
    const { log, wakes } = this.#deps
    try {
      await wakes.admit(plane, undefined)
    } catch {
      return false
    }
    log(`${plane.name}: continues a start that was interrupted`)
    this.begin(plane)
    return true
  }

  /** Begins to start a plane. `of` throws when that fails. */
  begin({ id, name }: Pick<Plane, 'id' | 'name'>, client?: StartingClient): void {
    const start = this.#start({ id, name }, client).finally(() => this.#starts.delete(id))
    start.catch(() => {
      // It was reported.
    })
    this.#starts.set(id, start)
  }

  /** Waits for the starts that the signal interrupts. */
  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.allSettled(this.#starts.values())
  }

  async #start(
    reference: Pick<Plane, 'id' | 'name'>,
    client: StartingClient | undefined,
  ): Promise<void> {
    const { driver, report, signal, wakes } = this.#deps
    const [at, startedAt] = [new Date(), performance.now()]
    let isWoken: boolean
    try {
      using _turn = await this.#turns.take()
      const plane = await findAgain(driver, reference)
      if (!isToRun(plane)) {
        throw new Error('it is not to be started')
      }
      // A client of a plane that was just started may still reach the keeper.
      isWoken = isWokenByAny(plane)
      const warn = (message: string) =>
        report(plane.name, { level: 'warning', reason: 'StartedWithWarning', message })
      await startOrSleep(driver, plane, { signal, warn })
    } catch (error) {
      // The next keeper continues a start that the end of this one interrupts.
      if (!signal.aborted) {
        wakes.failed(reference, client?.source, messageOf(error))
      }
      throw error
    }
    if (client !== undefined && isWoken) {
      const { serverName, source } = client
      const ms = performance.now() - startedAt
      await wakes.woken(reference, omitUndefined({ at, ms, serverName, source }))
    }
  }
}

/** A plane that its user paused stays paused. */
function isToRun(plane: Plane): boolean {
  return plane.desired === 'running' || isWokenByAny(plane)
}
