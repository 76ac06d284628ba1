import {
  type GatewayPlace,
  type GatewayPlane,
  placeOfKey,
} from '../../../manifests/gateway-records.ts'
import { GATEWAY_PORTS } from '../../../manifests/ports.ts'
import { VplaneError } from '../../../shared/errors.ts'
import { readEndpoint } from '../host/endpoint-service.ts'
import type { HostApi } from '../host/host-api.ts'
import { gatewayPortOf } from './endpoint-switch.ts'

/** The number of planes that a gateway has ports for: they end before those of outgoing connections. */
const MOST_PLANES = 10_000

export interface PortRequest {
  gateway: GatewayPlace
  key: string
  /** Those that have a port. */
  planes: ReadonlyMap<string, GatewayPlane>
  signal: AbortSignal
}

/**
 * The port to which the endpoint of the plane leads, when the gateway has lost its records, or the first one that is free.
 * @throws {VplaneError} `FAILED` when none is free.
 */
export async function portFor(
  api: Pick<HostApi, 'get'>,
  { gateway, key, planes, signal }: PortRequest,
): Promise<number> {
  const taken = new Set([...planes.values()].map((plane) => plane.port))
  const endpoint = await readEndpoint(api, placeOfKey(key, gateway), signal)
  const former = endpoint && gatewayPortOf(endpoint)
  if (former !== undefined && !taken.has(former) && isOfPlanes(former)) {
    return former
  }
  for (let port: number = GATEWAY_PORTS.planes; isOfPlanes(port); port += 1) {
    if (!taken.has(port)) {
      return port
    }
  }
  const { namespace } = gateway
  throw new VplaneError('FAILED', `the gateway of namespace "${namespace}" has no free port`, {
    hints: ['delete planes there, or create this one in another namespace'],
  })
}

/** Those who may write in the namespace of a plane can write any port into its endpoint. */
function isOfPlanes(port: number): boolean {
  return port >= GATEWAY_PORTS.planes && port < GATEWAY_PORTS.planes + MOST_PLANES
}
