import { setTimeout as delay } from 'node:timers/promises'
import type { IdlePause } from '../../control-plane/driver/requests.ts'
import type { WakeSource } from '../../control-plane/status/wake-status.ts'
import {
  isAtGateway,
  isServedByGateway,
  leadToGateway,
  leadToPlane,
} from '../../drivers/kubernetes/gateway/endpoint-switch.ts'
import {
  readGatewayPlanes,
  setGatewayState,
} from '../../drivers/kubernetes/gateway/gateway-planes.ts'
import type { HostApi } from '../../drivers/kubernetes/host/host-api.ts'
import { readEndpoint } from '../../drivers/kubernetes/host/endpoint-service.ts'
import { wakePlane } from '../../drivers/kubernetes/lifecycle/wake-plane.ts'
import { readPlane } from '../../drivers/kubernetes/record/hold-plane.ts'
import type { GatewayState, WaitingClient } from '../../manifests/gateway-records.ts'
import { messageOf, VplaneError } from '../../shared/errors.ts'
import { isInRanges } from '../../shared/network/ip-range.ts'
import { omitUndefined } from '../../shared/omit-undefined.ts'
import { silentUi } from '../../shared/ui.ts'
import type { Duty } from '../duties/duty.ts'
import type { PodWorld } from './pod-world.ts'

/** How often it checks that the endpoint of a plane that runs leads to the plane, in milliseconds. */
const CHECK_MS = 60_000

/** How often it checks whether a plane that starts is ready, or the host has followed a change, in milliseconds. */
const POLL_MS = 100

/** How long a plane may take to start before its endpoint is looked at again, in milliseconds. */
const START_MS = 120_000

/** How long others take, in milliseconds. */
const TIMES = {
  /** The host may take so long to know the gateway as the only address. */
  hostMs: 20_000,
  /** Its nodes then need up to a second to send connections there. */
  nodesMs: 2000,
  /** The plane answers requests that the gateway has passed on before it held others. */
  answerMs: 500,
}

interface World extends Pick<PodWorld, 'namespace' | 'now' | 'requests' | 'settings' | 'wakes'> {
  host: HostApi
  /** Whether one of its kube-apiservers that do not end responds that it is ready, as `answersReady` says. */
  isApiReady: (isRestart: boolean, signal: AbortSignal) => Promise<boolean>
  /** Whether the host counts one of its kube-apiservers as ready. */
  hasReadyPod: (signal: AbortSignal) => Promise<boolean>
  /** @default those of real hosts */
  times?: typeof TIMES
}

/**
 * Has the endpoint of a plane lead to the gateway of the namespace while the plane sleeps, wakes it when a client comes there,
 * and has the endpoint lead to the plane again when it is ready.
 */
export class PlaneGateway implements Duty {
  readonly #world: World
  #isFallingAsleep = false

  constructor(world: World) {
    this.#world = world
  }

  async reconcile(signal: AbortSignal): Promise<Date> {
    const { now, settings } = this.#world
    if (settings.isAsleep === true) {
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
      await this.#tell('asleep', signal)
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
      await (leading && this.#leadBack(AbortSignal.timeout(START_MS)))
    }
  }

  /** First the gateway passes connections on, so that those that come by either way are served. */
  async #leadAway(signal: AbortSignal): Promise<void> {
    const { host, namespace, settings, times = TIMES } = this.#world
    const { port } = await this.#tell('awake', signal)
    const place = { name: settings.name, namespace }
    await leadToGateway(host, place, { port, signal })
    const isServed = () => isServedByGateway(host, place, { port, signal })
    await until(isServed, AbortSignal.timeout(times.hostMs)).catch((cause: unknown) => {
      throw new VplaneError('FAILED', 'it does not fall asleep: no gateway is ready', { cause })
    })
    await delay(times.nodesMs)
  }

  /** Does nothing for a plane that is to be paused. */
  async #leadBack(signal: AbortSignal): Promise<void> {
    const { hasReadyPod, host, isApiReady, namespace, settings, wakes } = this.#world
    const { id, name } = settings
    const place = { name, namespace }
    const { planes } = await readGatewayPlanes(host, namespace, signal)
    const endpoint = await readEndpoint(host, place, signal)
    const isAway = endpoint !== undefined && isAtGateway(endpoint)
    const state = planes.get(name)?.state ?? 'awake'
    if (!isAway && state === 'awake') {
      return
    }
    const read = async () => (await readPlane(host, { id, place }, signal)).record
    const { desired, hasData } = await read()
    if (desired !== 'running') {
      return
    }
    // Before its first clients, a new plane has its default roles.
    const isRestart = hasData || wakes.known(settings) !== undefined
    await until(() => isApiReady(isRestart, signal), signal)
    if (this.#isFallingAsleep || (await read()).desired !== 'running') {
      return
    }
    await this.#tell('awake', signal)
    await wakes.ended(settings)
    // The endpoint leads only to pods that the host counts as ready.
    await until(() => hasReadyPod(signal), signal)
    if (!this.#isFallingAsleep) {
      await leadToPlane(host, place, signal)
    }
  }

  async #untilWoken(signal: AbortSignal): Promise<void> {
    const { host, namespace, settings } = this.#world
    const { id, name } = settings
    const place = { name, namespace }
    const { port } = await this.#tell('asleep', signal)
    await leadToGateway(host, place, { port, signal })
    const { record } = await readPlane(host, { id, place }, signal)
    if (record.desired === 'running') {
      await this.#wake(undefined, signal)
      return
    }
    const client = await this.#nextClient(signal)
    signal.throwIfAborted()
    await this.#wake(client, signal)
  }

  /** The next client that may wake the plane; undefined when the signal fires before. Clients that wait ask again and again. */
  async #nextClient(signal: AbortSignal): Promise<WaitingClient | undefined> {
    const { requests, settings } = this.#world
    let mark = requests.last(settings.name)?.mark
    while (!signal.aborted) {
      const request = await requests.next(settings, { mark, signal }).catch(() => undefined)
      mark = request?.mark
      const client = await this.#admitted(request?.clients ?? [])
      if (client !== undefined) {
        return client
      }
    }
    return undefined
  }

  /** The first of some clients that may wake the plane. */
  async #admitted(clients: readonly WaitingClient[]): Promise<WaitingClient | undefined> {
    const { settings, wakes } = this.#world
    const { wakesFrom } = settings
    const isMeant = ({ address }: WaitingClient) =>
      wakesFrom === undefined || isInRanges(address, wakesFrom)
    for (const client of clients.filter(isMeant)) {
      try {
        await wakes.admit(settings, sourceOf(client))
        return client
      } catch {
        // It was reported.
      }
    }
    return undefined
  }

  async #wake(client: WaitingClient | undefined, signal: AbortSignal): Promise<void> {
    const { host, namespace, now, settings, wakes } = this.#world
    const { id, name } = settings
    try {
      const stored = await readPlane(host, { id, place: { name, namespace } }, signal)
      if (client !== undefined) {
        const source = sourceOf(client)
        const { serverName } = client
        wakes.begin(settings, omitUndefined({ at: now(), serverName, source }))
      }
      // The settings of the plane change meanwhile, which must not interrupt it.
      const operation = { ui: silentUi, signal: new AbortController().signal }
      await wakePlane({ api: host, now }, stored, operation)
    } catch (error) {
      wakes.failed(settings, client && sourceOf(client), messageOf(error))
      throw error
    }
  }

  #tell(state: GatewayState, signal: AbortSignal) {
    const { host, namespace, settings } = this.#world
    return setGatewayState(host, { ...settings, namespace }, { state, signal })
  }
}

/** Clients outside of this machine can be told apart only by their addresses. */
function sourceOf({ address }: WaitingClient): WakeSource {
  return { id: address, name: address }
}

async function until(check: () => Promise<boolean>, signal: AbortSignal): Promise<void> {
  while (!(await check())) {
    await delay(POLL_MS, undefined, { signal })
  }
}
