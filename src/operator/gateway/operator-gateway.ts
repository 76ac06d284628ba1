import { setTimeout as delay } from 'node:timers/promises'
import { wakesForAny } from '../../control-plane/plane/is-woken-by-any.ts'
import type { Plane } from '../../control-plane/plane/plane.ts'
import type { PlacedName } from '../../drivers/kubernetes/context/object-names.ts'
import {
  forgetAtGateway,
  readGatewayPlanes,
} from '../../drivers/kubernetes/gateway/gateway-planes.ts'
import { GatewayStates } from '../../drivers/kubernetes/gateway/gateway-states.ts'
import { listPlacesWithSlices } from '../../drivers/kubernetes/gateway/gateway-slices.ts'
import {
  applyOperatorGateway,
  deleteOperatorGateway,
} from '../../drivers/kubernetes/operator/operator-gateway.ts'
import type { Duty, KeeperEvent } from '../../keeper/duties/duty.ts'
import type { KeeperPlane } from '../../keeper/duties/keep-planes.ts'
import { PlaneGateway, type WokenPlane } from '../../keeper/wake/plane-gateway.ts'
import { WakeRequests } from '../../keeper/wake/wake-requests.ts'
import { type Wakes, type WakeBoard } from '../../keeper/wake/wakes.ts'
import { wakesByAddress } from '../../keeper/wake/wakes-by-address.ts'
import type { KubeClient } from '../../kube/client/client.ts'
import { type GatewayPlace, planeKey } from '../../manifests/gateway-records.ts'
import { OPERATOR_GATEWAY } from '../../manifests/object-names.ts'
import { messageOf } from '../../shared/errors.ts'
import { objectPath } from '../../shared/kube/collections.ts'
import { FollowedSlices } from './followed-slices.ts'
import { GatewayPods } from './gateway-pods.ts'
import { operatorRoute, type RouteWorld } from './operator-route.ts'
import { planeReadiness } from './plane-readiness.ts'
import { Restartable } from './restartable.ts'

export interface OperatorGatewayOptions {
  host: KubeClient
  /** The namespace of the operator. */
  namespace: string
  /** The only namespace of its planes. @default all */
  watched?: string | undefined
  /** All planes that ControlPlanes declare; those that were not read yet are undefined. */
  declared: () => Array<{ place: PlacedName; plane: Plane | undefined }>
  /** Has the operator check a plane at once. */
  checkNow: (place: PlacedName) => void
  boardOf: (place: PlacedName) => WakeBoard
  report: (place: PlacedName, event: KeeperEvent) => void
  /** @default the built program */
  programOf?: Parameters<typeof applyOperatorGateway>[2]['programOf']
  log: (line: string) => void
  now: () => Date
  /** How long nodes of the host may need to follow, in milliseconds. @default as real ones */
  nodesMs?: number | undefined
}

/** What wakes a plane, and what its pause needs. */
export type WakingGateway = Pick<PlaneGateway, 'during' | 'reconcile'>

/** How often the operator checks whether its planes need the gateway, in milliseconds. */
const POLL_MS = 1000

/** How often it looks for what planes have left, and whether the gateway still exists, in milliseconds. */
const SWEEP_MS = 60_000

/** How often it applies all objects of the gateway: someone may have changed or deleted one. */
const APPLY_MS = 600_000

/** The gateway of an operator, which exists while any client wakes one of its planes. */
export class OperatorGateway {
  readonly wakes: Wakes
  readonly #options: OperatorGatewayOptions
  readonly #gateway: GatewayPlace
  readonly #requests: WakeRequests
  readonly #pods: GatewayPods
  readonly #slices: FollowedSlices
  readonly #routes: RouteWorld
  /** What was known of the planes at the last sweep. */
  #swept = ''
  #watching: Promise<unknown> | undefined
  readonly #leading = new Restartable()
  #applyAt = 0
  /** Rejected when a watch fails, after which no plane would be woken. */
  readonly #failed = Promise.withResolvers<never>()

  constructor(options: OperatorGatewayOptions) {
    const { boardOf, host, log, namespace, nodesMs, now, report } = options
    this.#options = options
    this.#gateway = { name: OPERATOR_GATEWAY, namespace }
    this.#requests = new WakeRequests(host, this.#gateway)
    this.#pods = new GatewayPods(host, namespace)
    this.#slices = new FollowedSlices({ host, pods: (signal) => this.#pods.known(signal), log })
    const [gateway, slices] = [this.#gateway, this.#slices]
    this.#routes = { host, gateway, slices, states: new GatewayStates(host, gateway), nodesMs }
    this.#pods.onChange(() => this.#slices.follow())
    this.wakes = wakesByAddress({
      boardOf: (plane) => boardOf(toPlace(plane)),
      report: (plane, event) => report(toPlace(plane), event),
      now,
    })
  }

  /** Has the gateway exist while it is needed, until the signal fires. @throws {VplaneError} `FAILED` when access is denied. */
  async run(signal: AbortSignal): Promise<void> {
    await Promise.race([this.#keep(signal), this.#failed.promise])
  }

  async #keep(signal: AbortSignal): Promise<void> {
    let sweepAt = 0
    let failure = ''
    while (!signal.aborted) {
      try {
        const isDue = performance.now() >= sweepAt
        if (isDue || this.#swept !== this.#state()) {
          await this.#sweep(signal)
          sweepAt = performance.now() + SWEEP_MS
        }
      } catch (error) {
        if (!signal.aborted && messageOf(error) !== failure) {
          failure = messageOf(error)
          this.#options.log(`gateway: error: ${failure}`)
        }
      }
      await delay(POLL_MS, undefined, { signal }).catch(() => {})
    }
    await this.#watching?.catch(() => {})
  }

  /** Leads clients of a plane to the gateway and back, and wakes the plane for them. */
  gatewayOf(plane: WokenPlane): WakingGateway {
    const { host, checkNow, now } = this.#options
    const place = toPlace(plane)
    const gateway = new PlaneGateway({
      host,
      plane,
      route: operatorRoute(this.#routes, { ...place, id: plane.id }),
      requests: this.#requests,
      wakes: this.wakes,
      now,
      ...planeReadiness(host, place),
    })
    // What else is done for the plane depends on whether it sleeps.
    const check = () => checkNow(place)
    return {
      reconcile: (signal) =>
        this.#leading
          .work(planeKey(place), signal, (either) => gateway.reconcile(either))
          .finally(check),
      during: (idle, pause) => gateway.during(idle, pause).finally(check),
    }
  }

  /** Whether a client asks for a plane, or has asked last. */
  hasClients(plane: Pick<KeeperPlane, 'id' | 'name' | 'namespace'>): boolean {
    return this.#requests.last(planeKey(toPlace(plane)))?.id === plane.id
  }

  /** The duty for a plane that a user has paused: the gateway refuses its clients. */
  closing({ id, name, namespace }: WokenPlane): Duty {
    const { now } = this.#options
    const route = operatorRoute(this.#routes, { id, name, namespace })
    let isClosed = false
    return {
      reconcile: async (signal) => {
        if (!isClosed) {
          await route.close(signal)
          isClosed = true
        }
        return new Date(now().getTime() + SWEEP_MS)
      },
    }
  }

  /** The keys of the planes that may be known to the gateway. */
  #needs(): string[] {
    return this.#options
      .declared()
      .filter(({ plane }) => plane === undefined || wakesForAny(plane.spec))
      .map(({ place }) => planeKey(place))
      .toSorted()
  }

  #isNeeded(): boolean {
    return this.#options.declared().some(({ plane }) => plane && wakesForAny(plane.spec))
  }

  #state(): string {
    return [this.#isNeeded(), ...this.#needs()].join()
  }

  async #sweep(signal: AbortSignal): Promise<void> {
    const { host, namespace, programOf } = this.#options
    const [needs, isNeeded, state] = [this.#needs(), this.#isNeeded(), this.#state()]
    const found = await host.get(objectPath('deployments', this.#gateway), { signal })
    const records = await readGatewayPlanes(host, this.#gateway, signal)
    const isWhole =
      found !== undefined && records.resourceVersion !== undefined && !this.#requests.isGone
    if (isNeeded && (!isWhole || performance.now() >= this.#applyAt)) {
      // Also by each operator that starts, so that it has the program of this version.
      await applyOperatorGateway(host, namespace, { programOf, signal })
      this.#applyAt = performance.now() + APPLY_MS
      this.#watch(signal)
      if (records.resourceVersion === undefined) {
        this.#leading.restart('the gateway had lost its planes')
      }
    }
    if (isNeeded || found !== undefined) {
      await this.#forget(signal)
    }
    if (needs.length === 0 && found !== undefined) {
      await deleteOperatorGateway(host, namespace, signal)
    }
    this.#swept = state
  }

  /** Removes what planes have left that were deleted, or that not any client wakes any more. */
  async #forget(signal: AbortSignal): Promise<void> {
    const { host, watched } = this.#options
    const existing = async () => new Set(this.#needs())
    await forgetAtGateway(host, this.#gateway, { existing, signal })
    const before = this.#slices.led
    const led = await listPlacesWithSlices(host, watched, signal)
    const ledKeys = new Set(led.map((place) => planeKey(place)))
    const lost = before.map((place) => planeKey(place)).filter((key) => !ledKeys.has(key))
    this.#leading.restart('its EndpointSlices had been deleted', lost)
    const needs = await existing()
    // The driver or the host may have deleted the slices of the latter, which must not come back.
    for (const place of [...led, ...this.#slices.places]) {
      if (!needs.has(planeKey(place))) {
        await this.#slices.remove(place, signal)
      }
    }
  }

  #watch(signal: AbortSignal): void {
    this.#watching ??= Promise.all([
      this.#pods.run(signal),
      this.#requests.run(signal),
      this.#slices.run(signal),
    ])
    this.#watching.catch((error: unknown) => {
      if (!signal.aborted) {
        this.#failed.reject(error)
      }
    })
  }
}

function toPlace({ name, namespace = '' }: { name: string; namespace?: string | undefined }) {
  return { name, namespace }
}
