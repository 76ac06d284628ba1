import { setTimeout as delay } from 'node:timers/promises'
import { readyPath, wasReady } from '../../control-plane/api/readiness.ts'
import type { Driver } from '../../control-plane/driver/driver.ts'
import type { Plane } from '../../control-plane/plane/plane.ts'
import { isWokenByAny, wakesForAny } from '../../control-plane/plane/is-woken-by-any.ts'
import type { MeasureDependencies } from '../../control-plane/use-cases/observe/measure-plane.ts'
import { findAgain } from '../../control-plane/use-cases/find/find-again.ts'
import type { IdlePause } from '../../control-plane/driver/requests.ts'
import type { WakeSource } from '../../control-plane/status/wake-status.ts'
import { StandIn, type WakingClient } from '../../gateway/stand-in.ts'
import { hasErrorCode, messageOf } from '../../shared/errors.ts'
import { countListeners } from '../../shared/network/socket-table.ts'
import { omitUndefined } from '../../shared/omit-undefined.ts'
import { Turns } from '../../shared/concurrency/turns.ts'
import type { LocalClients } from './local-clients.ts'
import { startOrSleep } from './start-or-sleep.ts'
import type { Wakes } from '../wake/wakes.ts'

/** A plane that starts takes a core for some seconds. */
const AT_ONCE = 4
const LONG_MS = 15_000

/** How often it tries to take the port of an API server that ends, in milliseconds. */
const TAKE_MS = 5

interface Entry {
  standIn: StandIn
  plane: Plane
  server: string
  /** The plane is being stopped: its API server is not to get connections any more. */
  isStopping: boolean
  /** A client is examined. */
  admission?: Promise<void>
  wake?: Promise<void>
}

interface Dependencies extends MeasureDependencies {
  driver: Pick<Driver, 'endpoint' | 'find' | 'isRunning' | 'pause' | 'start'>
  wakes: Pick<Wakes, 'admit' | 'failed' | 'woken'>
  clients: Pick<LocalClients, 'wakingFrom'>
  /** Whether it can listen on the port of an API server that does, too. */
  sharesPorts: boolean
  /** Holds the lock of a plane; undefined when someone works on that. */
  tryHold: (name: string) => AsyncDisposable | undefined
  log: (line: string) => void
  signal: AbortSignal
}

/** Stands in for the local planes that sleep, so that any client wakes them. One of a process. */
export class StandIns implements AsyncDisposable {
  readonly #deps: Dependencies
  readonly #entries = new Map<string, Entry>()
  /** The planes that sleep, and on which someone works. */
  readonly #awaited = new Set<string>()
  readonly #turns = new Turns({ atOnce: AT_ONCE, longMs: LONG_MS })

  constructor(deps: Dependencies) {
    this.#deps = deps
  }

  /** Whether it stands in for a plane that sleeps, or is being woken, or does so soon. */
  isFor(id: string): boolean {
    const entry = this.#entries.get(id)
    return this.#awaited.has(id) || (entry !== undefined && !entry.isStopping)
  }

  /** Whether it wakes a plane now. */
  isWaking(id: string): boolean {
    return this.#entries.get(id)?.wake !== undefined
  }

  /** Stands in for the planes of this list that sleep, and for no others. */
  async follow(planes: readonly Plane[]): Promise<void> {
    const sleeping = new Map(planes.filter(isWokenByAny).map((plane) => [plane.id, plane]))
    for (const [id, entry] of this.#entries) {
      if (!sleeping.has(id) && !entry.isStopping && entry.wake === undefined) {
        this.#entries.delete(id)
        await entry.standIn.leave()
      }
    }
    this.#awaited.clear()
    for (const plane of sleeping.values()) {
      const entry = this.#entries.get(plane.id)
      // A plane that is paused or woken now has its stand-in already, which is not to change.
      if (entry === undefined || (!entry.standIn.isListening && entry.wake === undefined)) {
        await (this.#deps.sharesPorts ? this.#listen(plane) : this.#listenUnlessHeld(plane))
      }
    }
  }

  /** Pauses an idle plane, and stands in for it from before its API server ends. */
  async during(
    plane: Plane,
    idle: IdlePause,
    pause: (idle: IdlePause) => Promise<void>,
  ): Promise<void> {
    let entry: Entry | undefined
    const ended = new AbortController()
    let taken: Promise<Entry | undefined> | undefined
    const isStill = async () => {
      const isUnused = await idle.isStill()
      if (isUnused && wakesForAny(plane.spec)) {
        if (this.#deps.sharesPorts) {
          entry = await this.#listen(plane)
        } else {
          taken = this.#take(plane, ended.signal)
        }
      }
      if (entry !== undefined) {
        entry.isStopping = true
      }
      return isUnused
    }
    try {
      await pause({ ...idle, isStill })
    } finally {
      ended.abort()
      entry ??= await taken
      if (entry !== undefined) {
        entry.isStopping = false
      }
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const entries = [...this.#entries.values()]
    this.#entries.clear()
    await Promise.all(entries.map(({ standIn }) => standIn[Symbol.asyncDispose]()))
  }

  /** One who works on a plane may start it, and then its port must stay free. */
  async #listenUnlessHeld({ id, name }: Plane): Promise<void> {
    await using held = this.#deps.tryHold(name)
    if (held === undefined) {
      this.#awaited.add(id)
      return
    }
    const plane = await findAgain(this.#deps.driver, { id, name }).catch(() => undefined)
    if (plane !== undefined && isWokenByAny(plane)) {
      await this.#listen(plane)
    }
  }

  /** Listens as soon as the API server of a plane that is being paused has stopped, or not at all. */
  async #take(plane: Plane, ended: AbortSignal): Promise<Entry | undefined> {
    while (!ended.aborted) {
      try {
        const entry = await this.#open(plane)
        entry.isStopping = true
        return entry
      } catch (error) {
        if (!hasErrorCode(error, 'EADDRINUSE')) {
          this.#deps.log(`${plane.name}: error: cannot listen in its place: ${messageOf(error)}`)
          return undefined
        }
      }
      await delay(TAKE_MS, undefined, { signal: ended }).catch(() => {})
    }
    return undefined
  }

  /** Returns undefined when it cannot listen: then the plane is woken only by contexts. */
  async #listen(plane: Plane): Promise<Entry | undefined> {
    try {
      return await this.#open(plane)
    } catch (error) {
      this.#deps.log(`${plane.name}: error: cannot listen in its place: ${messageOf(error)}`)
      return undefined
    }
  }

  async #open(plane: Plane): Promise<Entry> {
    const { driver, log, openApi, sharesPorts, tryHold } = this.#deps
    const endpoint = await driver.endpoint(plane)
    const former = this.#entries.get(plane.id)
    if (former?.server === endpoint.server && former.standIn.isListening) {
      return former
    }
    await former?.standIn.leave()
    const { hostname: host, port: text } = new URL(endpoint.server)
    const port = Number(text)
    const standIn = await StandIn.listen({
      host,
      port,
      log,
      wake: (client) => this.#wake(entry, client),
      sharesPort: sharesPorts,
      isToLeave: async () => {
        await using free = tryHold(plane.name)
        return free === undefined
      },
      isServed: async () => !entry.isStopping && (await countListeners(port)) > 1,
      openApi: () => openApi(endpoint),
      readyPath: readyPath({ isRestart: wasReady(plane) }),
    })
    const entry: Entry = { standIn, plane, server: endpoint.server, isStopping: false }
    this.#entries.set(plane.id, entry)
    return entry
  }

  async #wake(entry: Entry, client: WakingClient): Promise<void> {
    // Clients that come meanwhile wait for what the first one is told: a program may come fifty times a second.
    while (entry.wake === undefined && entry.admission !== undefined) {
      await entry.admission.catch(() => {})
    }
    if (entry.wake === undefined) {
      entry.admission = this.#admit(entry, client).finally(() => delete entry.admission)
      await entry.admission
    }
    await entry.wake
  }

  /** Has the plane started, unless this client may not wake it. */
  async #admit(entry: Entry, client: WakingClient): Promise<void> {
    const to = Number(new URL(entry.server).port)
    const source = await this.#deps.clients.wakingFrom({ from: client.port, to })
    await this.#deps.wakes.admit(entry.plane, source)
    entry.wake = this.#start(entry, { ...client, source }).finally(() => delete entry.wake)
  }

  async #start({ plane: { id, name } }: Entry, client: KnownClient): Promise<void> {
    const { driver, signal, wakes } = this.#deps
    const { serverName, source } = client
    const [at, startedAt] = [new Date(), performance.now()]
    try {
      using _turn = await this.#turns.take()
      const plane = await findAgain(driver, { id, name })
      if (!isToRun(plane)) {
        throw new Error('it is not to be started')
      }
      await startOrSleep(driver, plane, signal)
    } catch (error) {
      wakes.failed({ id, name }, source, messageOf(error))
      throw error
    }
    const ms = performance.now() - startedAt
    await wakes.woken({ id, name }, omitUndefined({ at, ms, serverName, source }))
  }
}

interface KnownClient extends WakingClient {
  source: WakeSource | undefined
}

/** A plane that its user paused stays paused. */
function isToRun(plane: Plane): boolean {
  return plane.desired === 'running' || isWokenByAny(plane)
}
