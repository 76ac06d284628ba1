import { refuseWithout } from '../../store/store.ts'
import { isVplaneError, VplaneError } from '../../../shared/errors.ts'
import { omitUndefined } from '../../../shared/omit-undefined.ts'
import type { Driver } from '../../driver/driver.ts'
import type { HostPlacement } from '../../driver/requests.ts'
import { isReadable } from '../../plane/unreadable-plane.ts'
import { isSamePlane, type Plane, type PlaneReference } from '../../plane/plane.ts'
import type { FoundPlane, FindDependencies, PlaneSelector } from '../find/find-planes.ts'
import { placeOf } from '../../plane/plane-words.ts'
import { refuseNeverStarted } from '../find/refuse-while-paused.ts'
import { refuseProcesses } from '../find/refuse-processes.ts'
import { type ResolvedPlane, resolvePlane } from '../find/resolve-plane.ts'

export interface MoveTarget {
  driver: Driver
  /** Only with the `kubernetes` driver. */
  host?: HostPlacement & { namespace: string }
  /** Context of the host cluster; only with the `kubernetes` driver. */
  hostContext?: string
}

export interface FindMoveOptions extends PlaneSelector {
  /** Returns the place that a plane will be moved to, or is being moved to already. */
  chooseTarget: (plane: Plane) => Promise<MoveTarget>
  /** The new place of a plane that is fenced already need not be reachable. @default it must be */
  ignoresForbidden?: boolean
}

export interface FoundMove {
  source: ResolvedPlane
  target: MoveTarget
  to: PlaneReference
  arrival?: Plane
  /** The plane at the new place that this one was moved from: fenced since, with data from then. */
  former?: Plane
  /** Whether the plane is at its new place already, and is not being moved. */
  isDone: boolean
}

/**
 * Finds the plane that will be moved, and what exists at its new place.
 * @throws {VplaneError} `USAGE` when the new place is another name of the old one, `CONFLICT` when it is being moved
 * elsewhere, `FAILED` when it was never started, `UNSUPPORTED` when it runs pods and cannot there, or its store
 * cannot be moved, and what `findArrival` and `resolvePlane` throw.
 */
export async function findMove(
  deps: FindDependencies,
  { chooseTarget, ignoresForbidden = false, ...selector }: FindMoveOptions,
): Promise<FoundMove> {
  const source = await resolvePlane(deps, selector, { among: withoutArrivals })
  const { plane } = source
  const target = await chooseTarget(plane)
  refuseProcesses(plane, target.driver)
  refuseNeverStarted(plane)
  refuseWithout(plane, 'moves')
  const to = referenceTo(plane.name, target)
  if (plane.movingTo === undefined && isSamePlane(plane, to)) {
    return { source, target, to, isDone: true }
  }
  refuseOtherPlace(plane, to)
  const found = await findArrival(plane, { target, to }).catch((error: unknown) => {
    if (ignoresForbidden && plane.movingTo !== undefined && isOutOfReach(error)) {
      return {}
    }
    throw error
  })
  return { source, target, to, isDone: false, ...found }
}

/**
 * Finds a plane at its new place: nothing yet, the plane itself, or the one that it was moved from.
 * @throws {VplaneError} `CONTROL_PLANE_EXISTS` when another plane has its name there, `FAILED` when it was handed over
 * and does not exist there any more.
 */
export async function findArrival(
  plane: Plane,
  { target, to }: Pick<FoundMove, 'target' | 'to'>,
): Promise<Pick<FoundMove, 'arrival' | 'former'>> {
  const planes = await target.driver.find(plane.name, {
    namespace: to.namespace,
    ignoresForbidden: true,
  })
  const found = planes.find(({ namespace }) => namespace === to.namespace)
  const handedTo = plane.movingTo?.handedTo
  if (found !== undefined && isReadable(found)) {
    if (found.id === plane.id) {
      throw new VplaneError('USAGE', `"${plane.name}" is already at that place: ${placeOf(to)}`, {
        hints: [{ toContext: 'NAME' }, { toNamespace: 'NAME' }, { toDriver: 'local' }],
      })
    }
    if (handedTo === undefined ? found.movingFrom === plane.id : found.id === handedTo) {
      return { arrival: found }
    }
    if (handedTo === undefined && found.movingTo?.handedTo === plane.id) {
      return { former: found }
    }
  }
  if (handedTo !== undefined) {
    const message = `"${plane.name}" was moved to ${placeOf(to)}, and does not exist there any more`
    throw new VplaneError('FAILED', message, { hints: [{ action: 'delete', plane }] })
  }
  if (found !== undefined) {
    const message = `another control plane named "${plane.name}" exists there: ${placeOf(to)}`
    throw new VplaneError('CONTROL_PLANE_EXISTS', message, {
      hints: [{ purpose: 'choose another place', toNamespace: 'NAME' }],
    })
  }
  return {}
}

/** Whether a plane was handed over to its new place: from then on it can be started there. */
export async function hasArrived(
  { target, to }: Pick<FoundMove, 'target' | 'to'>,
  id: string,
): Promise<boolean> {
  const planes = await target.driver.find(to.name, { namespace: to.namespace })
  return planes.some((one) => isReadable(one) && one.id === id && one.movingFrom === undefined)
}

/** Such as a host cluster that does not exist any more. */
export function isOutOfReach(error: unknown): error is VplaneError {
  return isVplaneError(error, 'UNREACHABLE', 'TIMED_OUT')
}

/** During a move, two planes have the name: the one at the old place is meant. */
function withoutArrivals(found: readonly FoundPlane[]): readonly FoundPlane[] {
  const planes = found.flatMap(({ plane }) => (isReadable(plane) ? [plane] : []))
  const isArrival = (plane: FoundPlane['plane']) =>
    isReadable(plane) &&
    planes.some(({ id, movingTo }) => id === plane.movingFrom || movingTo?.handedTo === plane.id)
  return found.filter(({ plane }) => !isArrival(plane))
}

function referenceTo(name: string, { driver, host, hostContext }: MoveTarget): PlaneReference {
  return omitUndefined({ name, driver: driver.name, namespace: host?.namespace, hostContext })
}

function refuseOtherPlace(plane: Plane, to: PlaneReference): void {
  const { movingTo } = plane
  if (movingTo !== undefined && !isSamePlane(movingTo.to, to)) {
    const message = `"${plane.name}" is being moved to another place: ${placeOf(movingTo.to)}`
    throw new VplaneError('CONFLICT', message, {
      hints: [
        { action: 'move', plane },
        { action: 'move', plane, abort: true },
      ],
    })
  }
}
