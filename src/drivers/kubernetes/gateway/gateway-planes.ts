import { unlessStatus } from '../../../kube/kube-error.ts'
import {
  gatewayOf,
  type GatewayPlace,
  type GatewayPlane,
  gatewayPlanesOf,
  type GatewayState,
  planesName,
  recordsPatch,
  wakesName,
} from '../../../manifests/gateway-records.ts'
import { VplaneError } from '../../../shared/errors.ts'
import { recordAt } from '../../../shared/json-fields.ts'
import { objectPath } from '../../../shared/kube/collections.ts'
import type { PlacedName } from '../context/object-names.ts'
import type { HostApi } from '../host/host-api.ts'
import { leadToGateway } from './endpoint-switch.ts'
import { portFor } from './gateway-port.ts'

/** What changes the planes of a gateway. */
export type PlanesApi = Pick<HostApi, 'get' | 'patch'>

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

/** A plane of a gateway with its state there. */
export interface StateChange {
  id: string
  key: string
  state: GatewayState
}

export interface WrittenPlane {
  plane: GatewayPlane
  /** The state before. @default the gateway did not know the plane */
  former?: GatewayState | undefined
}

/**
 * Tells a gateway whether planes are awake, by one write for all. A plane that it does not know gets a port of its own.
 * @throws {VplaneError} `FAILED` when there is no gateway, or no port is free.
 */
export async function setGatewayStates(
  api: PlanesApi,
  gateway: GatewayPlace,
  { changes, signal }: { changes: readonly StateChange[]; signal: AbortSignal },
): Promise<(change: Pick<StateChange, 'key'>) => WrittenPlane> {
  for (;;) {
    const { planes, resourceVersion } = await readGatewayPlanes(api, gateway, signal)
    if (resourceVersion === undefined) {
      throw new VplaneError(
        'FAILED',
        `namespace "${gateway.namespace}" has no gateway for paused planes`,
      )
    }
    const written = new Map(planes)
    for (const { id, key, state } of changes) {
      const port =
        written.get(key)?.port ?? (await portFor(api, { gateway, key, planes: written, signal }))
      written.set(key, { id, state, port })
    }
    const changed = [...written].filter(([key, { id, state }]) => {
      const known = planes.get(key)
      return known?.id !== id || known.state !== state
    })
    const write = { planes: Object.fromEntries(changed), resourceVersion, signal }
    if (changed.length === 0 || (await writePlanes(api, gateway, write))) {
      return ({ key }) => ({ plane: knownIn(written, key), former: planes.get(key)?.state })
    }
  }
}

/** The same of one plane. */
export async function setGatewayState(
  api: PlanesApi,
  { gateway, ...plane }: PlaneAtGateway,
  { signal, state }: { state: GatewayState; signal: AbortSignal },
): Promise<GatewayPlane> {
  const changes = [{ ...plane, state }]
  const writtenOf = await setGatewayStates(api, gateway, { changes, signal })
  return writtenOf(plane).plane
}

function knownIn(planes: ReadonlyMap<string, GatewayPlane>, key: string): GatewayPlane {
  const plane = planes.get(key)
  if (plane === undefined) {
    throw new Error(`"${key}" was not written`)
  }
  return plane
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

interface PlanesWrite {
  /** By their keys. */
  planes: Readonly<Record<string, GatewayPlane>>
  resourceVersion: string | undefined
  signal: AbortSignal
}

/** Returns false when others wrote at the same time. */
async function writePlanes(
  api: Pick<HostApi, 'patch'>,
  gateway: GatewayPlace,
  { planes, resourceVersion, signal }: PlanesWrite,
): Promise<boolean> {
  const body = { metadata: { resourceVersion }, ...recordsPatch(planes) }
  const writing = api.patch(planesPath(gateway), body, { type: 'merge', signal })
  return (await unlessStatus([404, 409], writing)) !== undefined
}

function planesPath({ name, namespace }: GatewayPlace): string {
  return objectPath('configmaps', { name: planesName(name), namespace })
}
