import { unlessStatus } from '../../../kube/kube-error.ts'
import {
  gatewayOf,
  type GatewayPlace,
  type GatewayPlane,
  gatewayPlanesOf,
  type GatewayState,
  placeOfKey,
  planesName,
  recordsPatch,
  wakesName,
} from '../../../manifests/gateway-records.ts'
import { GATEWAY_PORTS } from '../../../manifests/ports.ts'
import { VplaneError } from '../../../shared/errors.ts'
import { recordAt } from '../../../shared/json-fields.ts'
import { objectPath } from '../../../shared/kube/collections.ts'
import type { PlacedName } from '../context/object-names.ts'
import { readEndpoint } from '../host/endpoint-service.ts'
import type { HostApi } from '../host/host-api.ts'
import { gatewayPortOf, leadToGateway } from './endpoint-switch.ts'

type PlanesApi = Pick<HostApi, 'get' | 'patch'>

/** The number of planes that a gateway has ports for: they end before those of outgoing connections. */
const MOST_PLANES = 10_000

/** Reads the planes of a gateway by their keys; none without a gateway. */
export async function readGatewayPlanes(
  api: Pick<HostApi, 'get'>,
  gateway: GatewayPlace,
  signal: AbortSignal,
): Promise<{ planes: Map<string, GatewayPlane>; resourceVersion: string | undefined }> {
  const found = await api.get(planesPath(gateway), { signal })
  return { planes: gatewayPlanesOf(found), resourceVersion: found?.metadata.resourceVersion }
}

/** A plane in the records of a gateway. */
export interface PlaneAtGateway {
  gateway: GatewayPlace
  id: string
  key: string
}

/**
 * Tells a gateway whether a plane is awake. A plane that it does not know gets a port of its own.
 * @throws {VplaneError} `FAILED` when there is no gateway, or no port is free.
 */
export async function setGatewayState(
  api: PlanesApi,
  { gateway, id, key }: PlaneAtGateway,
  { signal, state }: { state: GatewayState; signal: AbortSignal },
): Promise<GatewayPlane> {
  for (;;) {
    const { planes, resourceVersion } = await readGatewayPlanes(api, gateway, signal)
    if (resourceVersion === undefined) {
      throw new VplaneError(
        'FAILED',
        `namespace "${gateway.namespace}" has no gateway for paused planes`,
      )
    }
    const known = planes.get(key)
    const port = known?.port ?? (await portFor(api, { gateway, key, planes, signal }))
    const plane = { id, state, port }
    const isSame = known?.id === id && known.state === state
    if (isSame || (await writePlane(api, gateway, { key, plane, resourceVersion, signal }))) {
      return plane
    }
  }
}

/** Has a gateway refuse the clients of a plane that stays paused, if it knows the plane. */
export async function closeAtGateway(
  api: PlanesApi,
  plane: PlaneAtGateway,
  signal: AbortSignal,
): Promise<void> {
  const { planes } = await readGatewayPlanes(api, plane.gateway, signal)
  if (planes.has(plane.key)) {
    await setGatewayState(api, plane, { state: 'closed', signal })
  }
}

/** Has the endpoint of a plane that sleeps lead to the gateway of the namespace, which knows it, after it was applied. */
export async function leadToGatewayAgain(
  api: PlanesApi,
  place: PlacedName,
  signal: AbortSignal,
): Promise<void> {
  const { planes } = await readGatewayPlanes(api, gatewayOf(place.namespace), signal)
  const port = planes.get(place.name)?.port
  await (port === undefined ? undefined : leadToGateway(api, place, { port, signal }))
}

/**
 * Has a gateway forget planes that do not exist, and requests to wake them. What it knows is read before the planes, and
 * only changed as it was: a plane may be created meanwhile.
 */
export async function forgetAtGateway(
  api: PlanesApi,
  { name, namespace }: GatewayPlace,
  options: { existing: () => Promise<ReadonlySet<string>>; signal: AbortSignal },
): Promise<void> {
  for (const records of [planesName(name), wakesName(name)]) {
    const path = objectPath('configmaps', { name: records, namespace })
    while (!(await forgetIn(api, path, options))) {
      // Others wrote at the same time.
    }
  }
}

/** Returns false when others wrote at the same time. */
async function forgetIn(
  api: PlanesApi,
  path: string,
  { existing, signal }: { existing: () => Promise<ReadonlySet<string>>; signal: AbortSignal },
): Promise<boolean> {
  const found = await api.get(path, { signal })
  const known = Object.keys(recordAt(found, 'data') ?? {})
  const planes = known.length === 0 ? new Set() : await existing()
  const unknown = known.filter((key) => !planes.has(key))
  if (unknown.length === 0) {
    return true
  }
  const resourceVersion = found?.metadata.resourceVersion
  const data = Object.fromEntries(unknown.map((key) => [key, null]))
  const writing = api.patch(
    path,
    { metadata: { resourceVersion }, data },
    { type: 'merge', signal },
  )
  return (await unlessStatus([404, 409], writing)) !== undefined
}

interface PlaneWrite {
  key: string
  plane: GatewayPlane
  resourceVersion: string | undefined
  signal: AbortSignal
}

/** Returns false when others wrote at the same time. */
async function writePlane(
  api: Pick<HostApi, 'patch'>,
  gateway: GatewayPlace,
  { key, plane, resourceVersion, signal }: PlaneWrite,
): Promise<boolean> {
  const body = { metadata: { resourceVersion }, ...recordsPatch({ [key]: plane }) }
  const writing = api.patch(planesPath(gateway), body, { type: 'merge', signal })
  return (await unlessStatus([404, 409], writing)) !== undefined
}

interface PortRequest {
  gateway: GatewayPlace
  key: string
  /** Those that have a port. */
  planes: ReadonlyMap<string, GatewayPlane>
  signal: AbortSignal
}

/** The port to which the endpoint of the plane leads, when the gateway has lost its records, or the first one that is free. */
async function portFor(
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

function planesPath({ name, namespace }: GatewayPlace): string {
  return objectPath('configmaps', { name: planesName(name), namespace })
}
