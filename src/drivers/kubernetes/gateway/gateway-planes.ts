import { unlessStatus } from '../../../kube/kube-error.ts'
import {
  type GatewayPlane,
  gatewayPlanesOf,
  type GatewayState,
  recordPatch,
} from '../../../manifests/gateway-records.ts'
import { GATEWAY_PLANES } from '../../../manifests/object-names.ts'
import { GATEWAY_PORTS } from '../../../manifests/ports.ts'
import { VplaneError } from '../../../shared/errors.ts'
import { objectPath } from '../../../shared/kube/collections.ts'
import type { PlacedName } from '../context/object-names.ts'
import type { HostApi } from '../host/host-api.ts'
import { leadToGateway } from './endpoint-switch.ts'

type PlanesApi = Pick<HostApi, 'get' | 'patch'>

/** The number of planes that the gateway of a namespace has ports for: they end before those of outgoing connections. */
const MOST_PLANES = 10_000

/** Reads the planes of the gateway of a namespace by their names; none without a gateway. */
export async function readGatewayPlanes(
  api: Pick<HostApi, 'get'>,
  namespace: string,
  signal: AbortSignal,
): Promise<{ planes: Map<string, GatewayPlane>; resourceVersion: string | undefined }> {
  const found = await api.get(planesPath(namespace), { signal })
  return { planes: gatewayPlanesOf(found), resourceVersion: found?.metadata.resourceVersion }
}

/**
 * Tells the gateway of a namespace whether a plane is awake. A plane that it does not know gets a port of its own.
 * @throws {VplaneError} `FAILED` when there is no gateway, or no port is free.
 */
export async function setGatewayState(
  api: PlanesApi,
  { id, name, namespace }: PlacedName & { id: string },
  { signal, state }: { state: GatewayState; signal: AbortSignal },
): Promise<GatewayPlane> {
  for (;;) {
    const { planes, resourceVersion } = await readGatewayPlanes(api, namespace, signal)
    if (resourceVersion === undefined) {
      throw new VplaneError(
        'FAILED',
        `namespace "${namespace}" has no gateway for planes that sleep`,
      )
    }
    const known = planes.get(name)
    const plane = { id, state, port: known?.port ?? freePort(planes, namespace) }
    const isSame = known?.id === id && known.state === state
    if (isSame || (await writePlane(api, namespace, { name, plane, resourceVersion, signal }))) {
      return plane
    }
  }
}

/** Has the gateway of a namespace refuse the clients of a plane that stays paused. */
export async function closeAtGateway(
  api: PlanesApi,
  place: PlacedName & { id: string },
  signal: AbortSignal,
): Promise<void> {
  const { planes } = await readGatewayPlanes(api, place.namespace, signal)
  if (planes.has(place.name)) {
    await setGatewayState(api, place, { state: 'closed', signal })
  }
}

/** Has the endpoint of a plane that sleeps lead to the gateway, which knows it, after it was applied. */
export async function leadToGatewayAgain(
  api: PlanesApi,
  place: PlacedName,
  signal: AbortSignal,
): Promise<void> {
  const { planes } = await readGatewayPlanes(api, place.namespace, signal)
  const port = planes.get(place.name)?.port
  await (port === undefined ? undefined : leadToGateway(api, place, { port, signal }))
}

/** Has the gateway of a namespace forget planes that do not exist. */
export async function forgetAtGateway(
  api: PlanesApi,
  namespace: string,
  { isKnown, signal }: { isKnown: (plane: string) => boolean; signal: AbortSignal },
): Promise<void> {
  const { planes } = await readGatewayPlanes(api, namespace, signal)
  const unknown = [...planes.keys()].filter((one) => !isKnown(one))
  if (unknown.length > 0) {
    const body = { data: Object.fromEntries(unknown.map((name) => [name, null])) }
    await unlessStatus([404], api.patch(planesPath(namespace), body, { type: 'merge', signal }))
  }
}

interface PlaneWrite {
  name: string
  plane: GatewayPlane
  resourceVersion: string | undefined
  signal: AbortSignal
}

/** Returns false when others wrote at the same time. */
async function writePlane(
  api: Pick<HostApi, 'patch'>,
  namespace: string,
  { name, plane, resourceVersion, signal }: PlaneWrite,
): Promise<boolean> {
  const body = { metadata: { resourceVersion }, ...recordPatch(name, plane) }
  const writing = api.patch(planesPath(namespace), body, { type: 'merge', signal })
  return (await unlessStatus([404, 409], writing)) !== undefined
}

function freePort(planes: ReadonlyMap<string, GatewayPlane>, namespace: string): number {
  const taken = new Set([...planes.values()].map(({ port }) => port))
  for (let port: number = GATEWAY_PORTS.planes; taken.size < MOST_PLANES; port += 1) {
    if (!taken.has(port)) {
      return port
    }
  }
  throw new VplaneError('FAILED', `the gateway of namespace "${namespace}" has no free port`, {
    hints: ['delete planes there, or create this one in another namespace'],
  })
}

function planesPath(namespace: string): string {
  return objectPath('configmaps', { name: GATEWAY_PLANES, namespace })
}
