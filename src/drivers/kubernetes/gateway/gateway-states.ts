import type { GatewayPlace, GatewayState } from '../../../manifests/gateway-records.ts'
import { Batches } from '../../../shared/concurrency/batches.ts'
import { Turns } from '../../../shared/concurrency/turns.ts'
import { readLimit } from '../host/host-api.ts'
import {
  type PlanesApi,
  setGatewayStates,
  type StateChange,
  type WrittenPlane,
} from './gateway-planes.ts'

/** How many planes tell a gateway their states at once: a keeper or an operator that starts may have a thousand of them. */
const TURNS = { atOnce: 4, longMs: 10_000 }

/** Tells a gateway the states of planes. All of them are in one object, so what comes while it is written is written together. */
export class GatewayStates {
  readonly #turns = new Turns(TURNS)
  readonly #writes: Batches<StateChange, WrittenPlane>

  constructor(api: PlanesApi, gateway: GatewayPlace) {
    this.#writes = new Batches((changes) =>
      setGatewayStates(api, gateway, { changes, signal: readLimit() }),
    )
  }

  /** Tells it that of a plane. @throws {VplaneError} as `setGatewayStates` does. */
  async set(
    plane: Pick<StateChange, 'id' | 'key'>,
    state: GatewayState,
    signal: AbortSignal,
  ): Promise<WrittenPlane> {
    using _turn = await this.#turns.take()
    signal.throwIfAborted()
    return await this.#writes.add({ ...plane, state })
  }
}
