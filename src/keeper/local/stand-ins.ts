import { setTimeout as delay } from 'node:timers/promises'
import { readyPath, wasReady } from '../../control-plane/api/readiness.ts'
import type { Driver } from '../../control-plane/driver/driver.ts'
import type { Plane } from '../../control-plane/plane/plane.ts'
import {
  isBeingWoken,
  isWokenByAny,
  wakesForAny,
} from '../../control-plane/plane/is-woken-by-any.ts'
import type { MeasureDependencies } from '../../control-plane/use-cases/observe/measure-plane.ts'
import { findAgain } from '../../control-plane/use-cases/find/find-again.ts'
import type { IdlePause } from '../../control-plane/driver/requests.ts'
import { Connections } from '../../gateway/connections.ts'
import { StandIn, type WakingClient } from '../../gateway/stand-in.ts'
import { hasErrorCode, messageOf } from '../../shared/errors.ts'
import { countListeners } from '../../shared/network/socket-table.ts'
import type { LocalClients } from './local-clients.ts'
import { LocalStarts, type StartsDependencies } from './local-starts.ts'
import type { Wakes } from '../wake/wakes.ts'

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
}

interface Dependencies extends MeasureDependencies, StartsDependencies {
  driver: StartsDependencies['driver'] & Pick<Driver, 'endpoint'>
  wakes: StartsDependencies['wakes'] & Pick<Wakes, 'isRefused'>
  clients: Pick<LocalClients, 'wakingFrom'>
  /** Whether it can listen on the port of an API server that does, too. */
  sharesPorts: boolean
  /** Holds the lock of a plane; undefined when someone works on that. */
  tryHold: (name: string) => AsyncDisposable | undefined
}

/** Stands in for the local planes that sleep, so that any client wakes them. One of a process. */
export class StandIns implements AsyncDisposable {
  readonly #deps: Dependencies
  readonly #entries = new Map<string, Entry>()
  /** The planes that sleep, and on which someone works. */
  readonly #awaited = new Set<string>()
  readonly #starts: LocalStarts
  readonly #connections = new Connections()

  constructor(deps: Dependencies) {
    this.#deps = deps
    this.#starts = new LocalStarts(deps)
  }

  /** Whether it stands in for a plane that sleeps, or is being woken, or does so soon. */
  isFor(id: string): boolean {
    const entry = this.#entries.get(id)
    const isAwaited = this.#awaited.has(id) || this.isWaking(id)
    return isAwaited || (entry !== undefined && !entry.isStopping)
  }

  /** Whether it wakes a plane now. */
  isWaking(id: string): boolean {
    return this.#starts.of(id) !== undefined
  }

  /** Stands in for the planes of this list that sleep, and for no others. Continues their starts that were interrupted. */
  async follow(planes: readonly Plane[]): Promise<void> {
    const sleeping = new Map(planes.filter(isWokenByAny).map((plane) => [plane.id, plane]))
    for (const [id, entry] of this.#entries) {
      if (!sleeping.has(id) && !entry.isStopping && !this.isWaking(id)) {
        this.#entries.delete(id)
        await entry.standIn.leave()
      }
    }
    this.#awaited.clear()
    for (const plane of sleeping.values()) {
      const entry = this.#entries.get(plane.id)
      // A plane that is paused or woken now has its stand-in already, which is not to change.
      if (entry === undefined || (!entry.standIn.isListening && !this.isWaking(plane.id))) {
        await (this.#deps.sharesPorts ? this.#listen(plane) : this.#listenUnlessHeld(plane))
      }
    }
    for (const plane of planes) {
      if (isBeingWoken(plane) && !this.isWaking(plane.id)) {
        await this.#continue(plane)
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
    await this.#starts[Symbol.asyncDispose]()
  }

  /** One who works on a plane may start it, and then its port must stay free. */
  async #listenUnlessHeld(listed: Plane): Promise<void> {
    await this.#unlessHeld(listed, async (plane) => {
      await (isWokenByAny(plane) && this.#listen(plane))
    })
  }

  /** A start that was interrupted has left components that run, or none. */
  async #continue(listed: Plane): Promise<void> {
    await this.#unlessHeld(listed, async (plane) => {
      if (isBeingWoken(plane) && (await this.#starts.resume(plane))) {
        // It may listen itself already.
        await this.#open(plane).catch(() => {})
      }
    })
  }

  /** Reads a plane again and works on it, unless someone else does. */
  async #unlessHeld({ id, name }: Plane, work: (plane: Plane) => Promise<void>): Promise<void> {
    await using held = this.#deps.tryHold(name)
    if (held === undefined) {
      this.#awaited.add(id)
      return
    }
    const plane = await findAgain(this.#deps.driver, { id, name }).catch(() => undefined)
    await (plane && work(plane))
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
      plane: plane.id,
      connections: this.#connections,
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
    const { id } = entry.plane
    // One client is examined at a time: a program may come fifty times a second.
    while (!this.isWaking(id) && entry.admission !== undefined) {
      await entry.admission.catch(() => {})
    }
    if (!this.isWaking(id)) {
      entry.admission = this.#admit(entry, client).finally(() => delete entry.admission)
      await entry.admission
    }
    await this.#starts.of(id)
  }

  /** Has the plane started, unless this client may not wake it. */
  async #admit({ plane, server }: Entry, client: WakingClient): Promise<void> {
    if (this.#deps.wakes.isRefused(plane)) {
      throw new Error('its last start has failed')
    }
    const to = Number(new URL(server).port)
    const source = await this.#deps.clients.wakingFrom({ from: client.port, to })
    await this.#deps.wakes.admit(plane, source)
    this.#starts.begin(plane, { ...client, source })
  }
}
