import { messageOf, VplaneError } from '../../shared/errors.ts'
import type { Ui } from '../../shared/ui.ts'
import { type Driver, isReadable, type UnreadablePlane } from '../driver.ts'
import type { Plane, PlaneReference, PlaneStatus } from '../plane.ts'
import type { Contexts } from './contexts.ts'
import { findPlane, type PlaneSelector } from './resolve-plane.ts'

export interface ListedPlane {
  plane: Plane | UnreadablePlane
  status: PlaneStatus
  /** A context of the user's kubeconfig leads to it. */
  isConnected: boolean
}

export interface ListDependencies {
  drivers: readonly Driver[]
  contexts: Pick<Contexts, 'planes'>
  ui: Pick<Ui, 'warn'>
}

/**
 * Every plane with its status as it is now, by name. A driver or a kubeconfig that cannot be read hides no plane of
 * the others: that is a warning.
 */
export async function listControlPlanes(deps: ListDependencies): Promise<ListedPlane[]> {
  const [connected, ...lists] = await Promise.all([
    connectedPlanes(deps),
    ...deps.drivers.map((driver) => listDriver(driver, deps.ui)),
  ])
  return lists
    .flat()
    .map(({ plane, status }) => ({
      plane,
      status,
      isConnected: connected.some((context) => leadsTo(context, plane)),
    }))
    .toSorted((left, right) => left.plane.name.localeCompare(right.plane.name))
}

/**
 * One plane with its status as it is now.
 *
 * @throws {VplaneError} `CONTROL_PLANE_NOT_FOUND`, `USAGE` when the name fits several.
 */
export async function describeControlPlane(
  deps: ListDependencies,
  selector: PlaneSelector,
): Promise<ListedPlane> {
  const { driver, plane } = await findPlane(deps.drivers, selector)
  const [status, connected] = await Promise.all([statusOf(driver, plane), connectedPlanes(deps)])
  return { plane, status, isConnected: connected.some((context) => leadsTo(context, plane)) }
}

/** How a plane is, also one whose stored state cannot be read. */
async function statusOf(driver: Driver, plane: Plane | UnreadablePlane): Promise<PlaneStatus> {
  return isReadable(plane)
    ? driver.status(plane)
    : { phase: 'Unreadable', reason: plane.reason, components: [] }
}

function leadsTo(context: PlaneReference, plane: PlaneReference): boolean {
  return (
    context.name === plane.name &&
    context.driver === plane.driver &&
    context.namespace === plane.namespace
  )
}

async function connectedPlanes({
  contexts,
  ui,
}: Pick<ListDependencies, 'contexts' | 'ui'>): Promise<PlaneReference[]> {
  try {
    return await contexts.planes()
  } catch (error) {
    ui.warn(`which planes are connected is not known: ${messageOf(error)}`)
    return []
  }
}

async function listDriver(driver: Driver, ui: Pick<Ui, 'warn'>) {
  try {
    const planes = await driver.list()
    const listed = await Promise.all(planes.map((plane) => listPlane(driver, plane)))
    return listed.filter((one) => one !== undefined)
  } catch (error) {
    ui.warn(`planes of the driver ${driver.name} cannot be listed: ${messageOf(error)}`)
    return []
  }
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
