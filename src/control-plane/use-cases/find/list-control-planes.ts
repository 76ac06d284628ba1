import { retainedDataHints } from '../../plane/plane-words.ts'
import { messageOf, VplaneError } from '../../../shared/errors.ts'
import type { Ui } from '../../../shared/ui.ts'
import type { Driver, LookupScope } from '../../driver/driver.ts'
import { isReadable, type UnreadablePlane } from '../../plane/unreadable-plane.ts'
import { READ_ONLY } from '../../driver/endpoint-options.ts'
import { isSamePlane, type Plane, type PlaneReference } from '../../plane/plane.ts'
import type { PlaneStatus } from '../../status/plane-status.ts'
import { answersReady } from '../../api/answers-ready.ts'
import type { AccessDependencies } from '../access/access.ts'
import type { Contexts } from '../access/contexts.ts'
import { candidatesOf, type PlaneSelector } from './find-planes.ts'
import { findPlane } from './resolve-plane.ts'
import { type UnfinishedRotation, unfinishedRotations } from './unfinished-rotations.ts'
import type { BackgroundTunnels, TunnelState } from '../access/tunnels.ts'
import { within } from '../../../shared/wait.ts'

export interface ListedPlane {
  plane: Plane | UnreadablePlane
  status: PlaneStatus
  /** A context of the user's kubeconfig leads to it. */
  isConnected: boolean
  /** The tunnel on this machine that leads to it. */
  tunnel?: TunnelState
  /** The rotations of its keys that are not complete; undefined where nobody looked, or they cannot be read. */
  rotations?: UnfinishedRotation[]
}

export interface ListDependencies {
  drivers: readonly Driver[]
  contexts: Pick<Contexts, 'planes'>
  tunnels: Pick<BackgroundTunnels, 'list'>
  ui: Pick<Ui, 'note' | 'warn'>
}

export type DescribeDependencies = ListDependencies & Pick<AccessDependencies, 'openApi'>

export interface ListOptions extends Omit<PlaneSelector, 'name'> {
  /** How long a host cluster that nobody named may take, in milliseconds. @default 5000 */
  hostPatienceMs?: number
}

/**
 * Every plane with its status as it is now, by name. A driver that nobody named, or a kubeconfig, that cannot be read
 * hides no plane of the others: that is a warning.
 *
 * @throws {VplaneError} what keeps the planes from being seen that the options name.
 */
export async function listControlPlanes(
  deps: ListDependencies,
  { hostPatienceMs = 5000, ...selector }: ListOptions = {},
): Promise<ListedPlane[]> {
  const drivers = candidatesOf(deps.drivers, selector)
  const isNamed = Object.values(selector).some((value) => value !== undefined)
  const connected = connectedPlanes(deps)
  const likelyNamespaces = async () => (await connected).flatMap(({ namespace }) => namespace ?? [])
  const scope = { namespace: selector.namespace, likelyNamespaces, ui: deps.ui }
  const [surroundings, ...lists] = await Promise.all([
    surroundingsOf(deps, connected),
    ...drivers.map((driver) =>
      isNamed
        ? listDriver(driver, scope)
        : listOrWarn(driver, { scope, ui: deps.ui, patienceMs: hostPatienceMs }),
    ),
  ])
  return lists
    .flat()
    .map(({ plane, status }) => ({ plane, status, ...surroundings.of(plane) }))
    .toSorted((left, right) => placeOf(left.plane).localeCompare(placeOf(right.plane)))
}

/**
 * One plane with its status as it is now, for which its API is asked too, the rotations of its keys, and what happened to
 * it in the last hour.
 *
 * @throws {VplaneError} `CONTROL_PLANE_NOT_FOUND`, `USAGE` when the name fits several.
 */
export async function describeControlPlane(
  deps: DescribeDependencies,
  { signal, ...selector }: PlaneSelector & { signal: AbortSignal },
): Promise<ListedPlane> {
  const { driver, plane } = await findPlane(deps, selector)
  const [status, surroundings, rotations] = await Promise.all([
    statusOf(driver, plane, { events: true }),
    surroundingsOf(deps, connectedPlanes(deps)),
    rotationsOf(driver, plane),
  ])
  const { openApi } = deps
  const open = async (ready: Plane) => openApi(await driver.endpoint(ready, READ_ONLY))
  const isServed =
    status.phase !== 'Ready' ||
    !isReadable(plane) ||
    (await answersReady(() => open(plane), signal))
  return {
    plane,
    status: isServed ? status : { ...status, phase: 'NotReady', reason: SILENT },
    ...surroundings.of(plane),
    ...(rotations && { rotations }),
  }
}

async function rotationsOf(
  driver: Driver,
  plane: Plane | UnreadablePlane,
): Promise<UnfinishedRotation[] | undefined> {
  try {
    return isReadable(plane) ? await unfinishedRotations({ driver, plane }) : undefined
  } catch {
    // Keys that are not there yet, or no more: the status says what is wrong.
    return undefined
  }
}

/** Of an API whose component is well, as far as its probes tell: the way there may be what is broken. */
const SILENT = 'all components run, but asked from here the API does not say that it is ready'

/** How a plane is, also one whose stored state cannot be read. */
async function statusOf(
  driver: Driver,
  plane: Plane | UnreadablePlane,
  options?: { events: boolean },
): Promise<PlaneStatus> {
  return isReadable(plane)
    ? driver.status(plane, options)
    : {
        phase: plane.isKept === true ? 'Kept' : 'Unreadable',
        reason: plane.reason,
        ...(plane.isKept === true ? { hints: retainedDataHints(plane) } : {}),
        components: [],
      }
}

/** The planes that contexts of this machine lead to. */
function connectedPlanes({
  contexts,
  ui,
}: Pick<ListDependencies, 'contexts' | 'ui'>): Promise<PlaneReference[]> {
  return elseWarn(contexts.planes(), 'which planes are connected', ui)
}

async function elseWarn<T>(list: Promise<T[]>, what: string, ui: Pick<Ui, 'warn'>): Promise<T[]> {
  try {
    return await list
  } catch (error) {
    ui.warn(`${what} is not known: ${messageOf(error)}`)
    return []
  }
}

/** What leads from this machine to planes. */
async function surroundingsOf(
  { tunnels, ui }: Pick<ListDependencies, 'tunnels' | 'ui'>,
  listing: Promise<PlaneReference[]>,
) {
  const [connected, found] = await Promise.all([
    listing,
    elseWarn(tunnels.list(), 'which planes have a tunnel', ui),
  ])
  return {
    of: (plane: PlaneReference): Pick<ListedPlane, 'isConnected' | 'tunnel'> => {
      const tunnel = found.find((one) => isSamePlane(one.plane, plane))
      const isConnected = connected.some((context) => isSamePlane(context, plane))
      return { isConnected, ...(tunnel === undefined ? {} : { tunnel }) }
    },
  }
}

interface Patience {
  scope: LookupScope
  ui: Pick<Ui, 'warn'>
  patienceMs: number
}

async function listOrWarn(driver: Driver, { patienceMs, scope, ui }: Patience) {
  try {
    const listing = (signal?: AbortSignal) => listDriver(driver, { ...scope, signal })
    return await (driver.name === 'local' ? listing() : within(patienceMs, listing))
  } catch (error) {
    ui.warn(`planes of the driver ${driver.name} cannot be listed: ${messageOf(error)}`)
    return []
  }
}

async function listDriver(driver: Driver, scope: LookupScope) {
  const planes = await driver.list(scope)
  const listed = await Promise.all(planes.map((plane) => listPlane(driver, plane)))
  return listed.filter((one) => one !== undefined)
}

/** undefined when the plane was deleted since it was listed. */
async function listPlane(driver: Driver, plane: Plane | UnreadablePlane) {
  try {
    return { plane, status: await statusOf(driver, plane) }
  } catch (error) {
    if (error instanceof VplaneError && error.code === 'CONTROL_PLANE_NOT_FOUND') {
      return undefined
    }
    const status: PlaneStatus = { phase: 'NotReady', reason: messageOf(error), components: [] }
    return { plane, status }
  }
}

/** Planes of one name stand together. */
function placeOf({ name, namespace = '' }: PlaneReference): string {
  return `${name}/${namespace}`
}
