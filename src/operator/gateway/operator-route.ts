import { setTimeout as delay } from 'node:timers/promises'
import type { PlacedName } from '../../drivers/kubernetes/context/object-names.ts'
import {
  hasReadyAddress,
  isAtGateway,
  isServedByGateway,
  leadToGateway,
  leadToPlane,
} from '../../drivers/kubernetes/gateway/endpoint-switch.ts'
import { readGatewayPlanes } from '../../drivers/kubernetes/gateway/gateway-planes.ts'
import { type GatewayRoute, NODES_MS } from '../../drivers/kubernetes/gateway/gateway-route.ts'
import type { GatewayStates } from '../../drivers/kubernetes/gateway/gateway-states.ts'
import { listSlices } from '../../drivers/kubernetes/gateway/gateway-slices.ts'
import { readEndpoint } from '../../drivers/kubernetes/host/endpoint-service.ts'
import { until } from '../../keeper/wake/until.ts'
import type { KubeClient } from '../../kube/client/client.ts'
import { type GatewayPlace, planeKey } from '../../manifests/gateway-records.ts'
import { OPERATOR_GATEWAY_LABELS } from '../../manifests/object-names.ts'
import type { FollowedSlices } from './followed-slices.ts'

export interface RouteWorld {
  host: KubeClient
  gateway: GatewayPlace
  slices: FollowedSlices
  /** Of all planes of the gateway. */
  states: GatewayStates
  /** How long nodes of the host may need to follow, in milliseconds. @default as real ones */
  nodesMs?: number | undefined
}

export interface OperatorRoute extends GatewayRoute {
  /** Has clients refused, as those of a plane that a user has paused. */
  close: (signal: AbortSignal) => Promise<void>
}

/**
 * The route to the gateway of an operator, which may be in another namespace than the plane. A Service selects no pods of other
 * namespaces, so an EndpointSlice leads there. First both lead somewhere, and then one of them does.
 */
export function operatorRoute(
  { gateway, host, nodesMs = NODES_MS, slices, states }: RouteWorld,
  { id, name, namespace }: PlacedName & { id: string },
): OperatorRoute {
  const place = { name, namespace }
  const key = planeKey(place)
  const known = { id, key }
  const readState = async (signal: AbortSignal) =>
    (await readGatewayPlanes(host, gateway, signal)).planes.get(key)?.state
  const hasSlices = async (signal: AbortSignal) =>
    (await listSlices(host, place, signal)).length > 0
  const leadBack = async (signal: AbortSignal) => {
    await leadToPlane(host, place, signal)
    if (await hasSlices(signal)) {
      await until(() => hasReadyAddress(host, place, signal), signal)
      await delay(nodesMs, undefined, { signal })
    }
    await slices.remove(place, signal)
  }
  let back: { stop: AbortController; ended: Promise<void> } | undefined
  return {
    key,
    state: readState,
    tell: async (state, signal) => {
      const { former, plane } = await states.set(known, state, signal)
      if (former === undefined || former === 'closed') {
        // The host learns of a slice at once, perhaps before the gateway listens.
        await delay(nodesMs, undefined, { signal })
      }
      return plane
    },
    isAway: async (signal) => {
      const endpoint = await readEndpoint(host, place, signal)
      return (endpoint !== undefined && isAtGateway(endpoint)) || (await hasSlices(signal))
    },
    leadAway: async (port, signal) => {
      // Its last step must not come after this.
      back?.stop.abort()
      await back?.ended.catch(() => {})
      await slices.add(place, port, signal)
      await leadToGateway(host, place, { port, pods: OPERATOR_GATEWAY_LABELS, signal })
    },
    isServed: (port, signal) => isServedByGateway(host, place, { port, signal }),
    leadBack: async (signal) => {
      const stop = new AbortController()
      const ended = leadBack(AbortSignal.any([signal, stop.signal])).catch((error: unknown) => {
        if (!stop.signal.aborted) {
          throw error
        }
      })
      back = { stop, ended }
      await ended
    },
    close: async (signal) => {
      if ((await readState(signal)) !== undefined) {
        await states.set(known, 'closed', signal)
      }
      await leadToPlane(host, place, signal)
      await slices.remove(place, signal)
    },
  }
}
