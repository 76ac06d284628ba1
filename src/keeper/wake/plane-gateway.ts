import { setTimeout as delay } from 'node:timers/promises'
import type { IdlePause } from '../../control-plane/driver/requests.ts'
import type { WakeSource } from '../../control-plane/status/wake-status.ts'
import { type GatewayRoute, NODES_MS } from '../../drivers/kubernetes/gateway/gateway-route.ts'
import type { HostApi } from '../../drivers/kubernetes/host/host-api.ts'
import { wakePlane } from '../../drivers/kubernetes/lifecycle/wake-plane.ts'
import { readPlane } from '../../drivers/kubernetes/record/hold-plane.ts'
import type { ReadableRecord } from '../../drivers/kubernetes/record/record-store.ts'
import type { WaitingClient } from '../../manifests/gateway-records.ts'
import { messageOf, VplaneError } from '../../shared/errors.ts'
import { isInRanges } from '../../shared/network/ip-range.ts'
import { omitUndefined } from '../../shared/omit-undefined.ts'
import { silentUi } from '../../shared/ui.ts'
import type { Duty } from '../duties/duty.ts'
import { rarely } from './rarely.ts'
import { until } from './until.ts'
import type { WakeRequests } from './wake-requests.ts'
import type { Wakes } from './wakes.ts'

/** How often it checks that the endpoint of a plane that runs leads to the plane, in milliseconds. */
const CHECK_MS = 60_000

/** How long a plane may take to start before its endpoint is looked at again, in milliseconds. */
const START_MS = 120_000

/** How long others take, in milliseconds. */
const TIMES = {
  /** The host may take so long to know the gateway as the only address. */
  hostMs: 20_000,
  nodesMs: NODES_MS,
  /** The plane answers requests that the gateway has passed on before it held others. */
  answerMs: 500,
}

/** A plane that any client wakes. */
export interface WokenPlane {
  id: string
  name: string
  namespace: string
  /** @default false */
  isAsleep?: boolean | undefined
  /** The ranges of addresses of clients that wake it. @default all */
  wakesFrom?: readonly string[] | undefined
}

export interface GatewayWorld {
  host: HostApi
  plane: WokenPlane
  route: GatewayRoute
  requests: Pick<WakeRequests, 'last' | 'next'>
  wakes: Wakes
  now: () => Date
  /** Whether one of its kube-apiservers that do not end responds that it is ready, as `answersReady` says. */
  isApiReady: (isRestart: boolean, signal: AbortSignal) => Promise<boolean>
  /** Whether the host counts one of its kube-apiservers as ready. */
  hasReadyPod: (signal: AbortSignal) => Promise<boolean>
  /** @default those of real hosts */
  times?: typeof TIMES
}

/**
 * Has the endpoint of a plane lead to its gateway while the plane sleeps, wakes it when a client comes there,
 * and has the endpoint lead to the plane again when it is ready.
 */
export class PlaneGateway implements Duty {
  readonly #world: GatewayWorld
  #isFallingAsleep = false

  constructor(world: GatewayWorld) {
    this.#world = world
  }

  async reconcile(signal: AbortSignal): Promise<Date> {
    const { now, plane } = this.#world
    if (plane.isAsleep === true) {
      await this.#untilWoken(signal)
    } else if (!this.#isFallingAsleep) {
      await this.#leadBack(signal)
    }
    return new Date(now().getTime() + CHECK_MS)
  }

  /**
   * Pauses the idle plane, and has its clients come to the gateway from before its API ends. A client that comes meanwhile
   * interrupts the pause: it waits no longer than for a plane that sleeps.
   */
  async during(
    idle: IdlePause,
    pause: (idle: IdlePause, signal: AbortSignal) => Promise<void>,
  ): Promise<void> {
    const { times = TIMES } = this.#world
    const { signal } = new AbortController()
    const [interrupt, ended] = [new AbortController(), new AbortController()]
    let leading: Promise<void> | undefined
    let coming: Promise<WaitingClient | undefined> | undefined
    const isStill = async () => {
      leading = this.#leadAway(signal)
      await leading
      return idle.isStill()
    }
    const beforeApiEnds = async () => {
      coming = this.#nextClient(ended.signal).finally(() => interrupt.abort())
      await this.#world.route.tell('asleep', signal)
      await delay(times.answerMs)
    }
    this.#isFallingAsleep = true
    try {
      await pause({ ...idle, isStill, beforeApiEnds }, interrupt.signal)
    } catch (error) {
      if (!interrupt.signal.aborted) {
        throw error
      }
    } finally {
      ended.abort()
      const client = await coming
      this.#isFallingAsleep = false
      await (client && this.#wake(client, signal))
      await ((leading ?? client) && this.#leadBack(AbortSignal.timeout(START_MS)))
    }
  }

  /** First the gateway passes connections on, so that those that come by either way are served. */
  async #leadAway(signal: AbortSignal): Promise<void> {
    const { route, times = TIMES } = this.#world
    const { port } = await route.tell('awake', signal)
    await route.leadAway(port, signal)
    const isServed = () => route.isServed(port, signal)
    await until(isServed, AbortSignal.timeout(times.hostMs)).catch((cause: unknown) => {
      throw new VplaneError('FAILED', 'it cannot be paused, because no gateway is ready', { cause })
    })
    await delay(times.nodesMs)
  }

  /** Does nothing for a plane that is to be paused. */
  async #leadBack(signal: AbortSignal): Promise<void> {
    const { hasReadyPod, isApiReady, plane, route, wakes } = this.#world
    const isAway = await route.isAway(signal)
    const state = (await route.state(signal)) ?? 'awake'
    if (!isAway && state === 'awake') {
      return
    }
    const { record } = await this.#read(signal)
    if (record.desired !== 'running') {
      return
    }
    // Before its first clients, a new plane has its default roles.
    const isRestart = record.hasData || wakes.known(plane) !== undefined
    await until(() => isApiReady(isRestart, signal), signal)
    if (this.#isFallingAsleep || !(await this.#isToRun(signal))) {
      return
    }
    await route.tell('awake', signal)
    await wakes.ended(plane)
    // The endpoint leads only to pods that the host counts as ready.
    await until(() => hasReadyPod(signal), signal)
    if (!this.#isFallingAsleep) {
      await route.leadBack(signal)
    }
  }

  async #untilWoken(signal: AbortSignal): Promise<void> {
    const { route } = this.#world
    const { port } = await route.tell('asleep', signal)
    await route.leadAway(port, signal)
    if (await this.#isToRun(signal)) {
      await this.#wake(undefined, signal)
      return
    }
    // Someone else may have started it, whose clients are not to wake it.
    const isStarted = rarely(() => this.#isToRun(signal))
    const client = await this.#nextClient(signal, isStarted)
    signal.throwIfAborted()
    await this.#wake(client, signal)
  }

  async #isToRun(signal: AbortSignal): Promise<boolean> {
    return (await this.#read(signal)).record.desired === 'running'
  }

  #read(signal: AbortSignal): Promise<ReadableRecord> {
    const { host, plane } = this.#world
    const { id, name, namespace } = plane
    return readPlane(host, { id, place: { name, namespace } }, signal)
  }

  /**
   * The next client that may wake the plane; undefined when the signal fires before, or it is over when others come. Clients that
   * wait ask again and again.
   */
  async #nextClient(
    signal: AbortSignal,
    isOver: () => Promise<boolean> = async () => false,
  ): Promise<WaitingClient | undefined> {
    const { plane, requests, route } = this.#world
    const { key } = route
    let mark = requests.last(key)?.mark
    while (!signal.aborted) {
      const request = await requests
        .next({ id: plane.id, key }, { mark, signal })
        .catch(() => undefined)
      mark = request?.mark
      const client = await this.#admitted(request?.clients ?? [])
      if (client !== undefined || (!signal.aborted && (await isOver()))) {
        return client
      }
    }
    return undefined
  }

  /** The first of some clients that may wake the plane. */
  async #admitted(clients: readonly WaitingClient[]): Promise<WaitingClient | undefined> {
    const { plane, wakes } = this.#world
    const { wakesFrom } = plane
    const isMeant = ({ address }: WaitingClient) =>
      wakesFrom === undefined || isInRanges(address, wakesFrom)
    for (const client of clients.filter(isMeant)) {
      try {
        await wakes.admit(plane, sourceOf(client))
        return client
      } catch {
        // It was reported.
      }
    }
    return undefined
  }

  async #wake(client: WaitingClient | undefined, signal: AbortSignal): Promise<void> {
    const { host, now, plane, wakes } = this.#world
    try {
      const stored = await this.#read(signal)
      if (client !== undefined) {
        const source = sourceOf(client)
        const { serverName } = client
        wakes.begin(plane, omitUndefined({ at: now(), serverName, source }))
      }
      // The settings of the plane change meanwhile, which must not interrupt it.
      const operation = { ui: silentUi, signal: new AbortController().signal }
      await wakePlane({ api: host, now }, stored, operation)
    } catch (error) {
      wakes.failed(plane, client && sourceOf(client), messageOf(error))
      throw error
    }
  }
}

/** Clients outside of this machine can be told apart only by their addresses. */
function sourceOf({ address }: WaitingClient): WakeSource {
  return { id: address, name: address }
}
