import { VplaneError } from '../../../shared/errors.ts'
import type { Driver } from '../../driver/driver.ts'
import type { HostPlacement } from '../../driver/requests.ts'
import { isReadable } from '../../plane/unreadable-plane.ts'
import { isSamePlane, type Plane, type PlaneReference } from '../../plane/plane.ts'
import type { FoundPlane, FindDependencies, PlaneSelector } from '../find/find-planes.ts'
import { placeOf } from '../../plane/plane-words.ts'
import { refuseProcesses } from '../find/refuse-processes.ts'
import { type ResolvedPlane, resolvePlane } from '../find/resolve-plane.ts'

/** Where a plane is moved to. */
export interface MoveTarget {
  driver: Driver
  /** Only with the `kubernetes` driver. */
  host?: HostPlacement & { namespace: string }
  /** Context of the host cluster; only with the `kubernetes` driver. */
  hostContext?: string
}

export interface FindMoveOptions extends PlaneSelector {
  /** Says where a plane is to go, or goes to already. */
  chooseTarget: (plane: Plane) => Promise<MoveTarget>
  /** Where a plane goes that is fenced already need not be within reach. @default it has to be */
  isBlindFine?: boolean
}

/** Both ends of a move, as they are. */
export interface FoundMove {
  source: ResolvedPlane
  target: MoveTarget
  to: PlaneReference
  /** What there is of the plane where it goes. */
  arrival?: Plane
  /** The plane where it goes that this one has come from: fenced since, with data from then. */
  former?: Plane
  /** Whether the plane is where it is to go, and goes nowhere. */
  isThere: boolean
}

/**
 * Looks at the plane that is to be moved, and at where it goes.
 *
 * @throws {VplaneError} `USAGE` when the place is another name of where it is, `CONFLICT` when it is being moved elsewhere,
 * `CONTROL_PLANE_EXISTS` when another one is where it goes, `UNSUPPORTED` when it runs pods and there are none there,
 * `FAILED` when the one that has taken its place is gone, and what `resolvePlane` throws.
 */
export async function findMove(
  deps: FindDependencies,
  { chooseTarget, isBlindFine = false, ...selector }: FindMoveOptions,
): Promise<FoundMove> {
  const source = await resolvePlane(deps, selector, { among: withoutArrivals })
  const { plane } = source
  const target = await chooseTarget(plane)
  refuseProcesses(plane, target.driver)
  const to = referenceTo(plane.name, target)
  if (plane.movingTo === undefined && isSamePlane(plane, to)) {
    return { source, target, to, isThere: true }
  }
  refuseOtherPlace(plane, to)
  const found = await findArrival(plane, { target, to }).catch((error: unknown) => {
    if (isBlindFine && plane.movingTo !== undefined && isOutOfReach(error)) {
      return {}
    }
    throw error
  })
  return { source, target, to, isThere: false, ...found }
}

/**
 * What there is of a plane where it goes: nothing yet, itself, or the one that it has come from.
 *
 * @throws {VplaneError} `CONTROL_PLANE_EXISTS` when another plane is there, `FAILED` when the one that has taken its place
 * is gone.
 */
export async function findArrival(
  plane: Plane,
  { target, to }: Pick<FoundMove, 'target' | 'to'>,
): Promise<Pick<FoundMove, 'arrival' | 'former'>> {
  const planes = await target.driver.find(plane.name, {
    namespace: to.namespace,
    isBlindFine: true,
  })
  const found = planes.find(({ namespace }) => namespace === to.namespace)
  const handedTo = plane.movingTo?.handedTo
  if (found !== undefined && isReadable(found)) {
    if (found.id === plane.id) {
      throw new VplaneError('USAGE', `"${plane.name}" is there already: ${placeOf(to)}`, {
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
    throw new VplaneError(
      'FAILED',
      `"${plane.name}" has gone to ${placeOf(to)}, and is not there any more`,
      { hints: [{ action: 'delete', plane }] },
    )
  }
  if (found !== undefined) {
    throw new VplaneError(
      'CONTROL_PLANE_EXISTS',
      `another control plane named "${plane.name}" is there: ${placeOf(to)}`,
      { hints: [{ purpose: 'say another place', toNamespace: 'NAME' }] },
    )
  }
  return {}
}

/** Whether the plane of an id is where a plane goes, with data that counts: from then on it can be started. */
export async function hasArrived(
  { target, to }: Pick<FoundMove, 'target' | 'to'>,
  id: string,
): Promise<boolean> {
  const planes = await target.driver.find(to.name, { namespace: to.namespace })
  return planes.some((one) => isReadable(one) && one.id === id && one.movingFrom === undefined)
}

/** Tells that a place could not be looked at, such as a host cluster that is gone. */
export function isOutOfReach(error: unknown): error is VplaneError {
  return (
    error instanceof VplaneError && (error.code === 'UNREACHABLE' || error.code === 'TIMED_OUT')
  )
}

/** A plane that is moved fits its name twice: the one that leaves is meant. */
function withoutArrivals(found: readonly FoundPlane[]): readonly FoundPlane[] {
  const planes = found.flatMap(({ plane }) => (isReadable(plane) ? [plane] : []))
  const isArrival = (plane: FoundPlane['plane']) =>
    isReadable(plane) &&
    planes.some(({ id, movingTo }) => id === plane.movingFrom || movingTo?.handedTo === plane.id)
  return found.filter(({ plane }) => !isArrival(plane))
}

function referenceTo(name: string, { driver, host, hostContext }: MoveTarget): PlaneReference {
  return {
    name,
    driver: driver.name,
    ...(host === undefined ? {} : { namespace: host.namespace }),
    ...(hostContext === undefined ? {} : { hostContext }),
  }
}

function refuseOtherPlace(plane: Plane, to: PlaneReference): void {
  const { movingTo } = plane
  if (movingTo !== undefined && !isSamePlane(movingTo.to, to)) {
    throw new VplaneError(
      'CONFLICT',
      `"${plane.name}" is being moved to another place: ${placeOf(movingTo.to)}`,
      {
        hints: [
          { action: 'move', plane },
          { action: 'move', plane, abort: true },
        ],
      },
    )
  }
}
