import {
  gatewayOf,
  type GatewayPlane,
  type GatewayState,
} from '../../../manifests/gateway-records.ts'
import type { PlacedName } from '../context/object-names.ts'
import { readEndpoint } from '../host/endpoint-service.ts'
import type { HostApi } from '../host/host-api.ts'
import { isAtGateway, isServedByGateway, leadToGateway, leadToPlane } from './endpoint-switch.ts'
import { readGatewayPlanes } from './gateway-planes.ts'
import type { GatewayStates } from './gateway-states.ts'

/**
 * How long the nodes of the host may need to send connections to other addresses than before, in milliseconds. kube-proxy collects
 * changes for a second (`minSyncPeriod`), and a busy node takes longer to apply them. Until then, connections come to either address.
 */
export const NODES_MS = 5000

/** How a gateway learns of a plane, and how the endpoint of the plane leads to the gateway and back. */
export interface GatewayRoute {
  /** The key of the plane in the records of the gateway. */
  key: string
  /** The state in the records of the gateway. @default the gateway does not know the plane */
  state: (signal: AbortSignal) => Promise<GatewayState | undefined>
  /** Sets the state there. @throws {VplaneError} `FAILED` when there is no gateway, or no port is free. */
  tell: (state: GatewayState, signal: AbortSignal) => Promise<GatewayPlane>
  /** Whether the endpoint leads to the gateway, at least in part. */
  isAway: (signal: AbortSignal) => Promise<boolean>
  /** Has the endpoint lead to a port of the gateway. @throws {VplaneError} as `leadToGateway` does. */
  leadAway: (port: number, signal: AbortSignal) => Promise<void>
  /** Whether the nodes of the host learn of a ready gateway for the endpoint, and of nothing else. */
  isServed: (port: number, signal: AbortSignal) => Promise<boolean>
  /** Has the endpoint lead to a plane again that the host counts as ready. @throws {VplaneError} as `leadToGateway` does. */
  leadBack: (signal: AbortSignal) => Promise<void>
}

/**
 * The route to the gateway of the namespace of a plane.
 * @param states of all planes of this gateway
 */
export function namespaceRoute(
  api: Pick<HostApi, 'get' | 'list' | 'patch'>,
  { id, name, namespace }: PlacedName & { id: string },
  states: GatewayStates,
): GatewayRoute {
  const place = { name, namespace }
  const gateway = gatewayOf(namespace)
  return {
    key: name,
    state: async (signal) =>
      (await readGatewayPlanes(api, gateway, signal)).planes.get(name)?.state,
    tell: async (state, signal) => (await states.set({ id, key: name }, state, signal)).plane,
    isAway: async (signal) => {
      const endpoint = await readEndpoint(api, place, signal)
      return endpoint !== undefined && isAtGateway(endpoint)
    },
    leadAway: (port, signal) => leadToGateway(api, place, { port, signal }),
    isServed: (port, signal) => isServedByGateway(api, place, { port, signal }),
    leadBack: (signal) => leadToPlane(api, place, signal),
  }
}
