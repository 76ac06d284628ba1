import { VplaneError } from '../../../shared/errors.ts'
import type { Driver } from '../../driver/driver.ts'
import { deletedMeanwhile } from '../../plane/deleted-meanwhile.ts'
import { isReadable, type UnreadablePlane } from '../../plane/unreadable-plane.ts'
import { parseName } from '../../plane/names.ts'
import type { Plane, PlaneReference } from '../../plane/plane.ts'
import {
  candidatesOf,
  type FoundPlane,
  findPlanes,
  type FindDependencies,
  type FindOptions,
  type PlaneSelector,
} from './find-planes.ts'
import { retainedDataHints, placeOf, placeOptions } from '../../plane/plane-words.ts'

export interface ResolvedPlane {
  driver: Driver
  plane: Plane
}

export interface ResolveOptions extends FindOptions {
  /** Selects the planes that can be meant. @default all that match */
  among?: (found: readonly FoundPlane[]) => readonly FoundPlane[]
}

/**
 * Returns the one plane that a selector matches, in all drivers.
 * @throws {VplaneError} `CONTROL_PLANE_NOT_FOUND`, `INVALID_NAME`, `FAILED` when its stored state cannot be read,
 * `USAGE` with the flags that decide when several match, and what `findPlanes` throws.
 */
export async function resolvePlane(
  deps: FindDependencies,
  selector: PlaneSelector,
  options?: ResolveOptions,
): Promise<ResolvedPlane> {
  const { driver, plane } = await findPlane(deps, selector, options)
  if (!isReadable(plane)) {
    throw unusable(plane)
  }
  return { driver, plane }
}

/** Returns the error for a plane whose stored state cannot be read, or of which only the data is kept. */
export function unusable(plane: UnreadablePlane): VplaneError {
  if (plane.isKept === true) {
    const message = `"${plane.name}" was deleted, and only its data is kept`
    return new VplaneError('CONTROL_PLANE_NOT_FOUND', message, { hints: retainedDataHints(plane) })
  }
  const message = `the stored state of "${plane.name}" cannot be read: ${plane.reason}`
  return new VplaneError('FAILED', message, { hints: [{ action: 'delete', plane }] })
}

/** Like `resolvePlane`, but also returns a plane whose stored state cannot be read. */
export async function findPlane(
  deps: FindDependencies,
  selector: PlaneSelector,
  options?: ResolveOptions,
): Promise<FoundPlane> {
  const name = parseName(selector.name)
  const { among = (all: readonly FoundPlane[]) => all, ...findOptions } = options ?? {}
  const found = among(await findPlanes(deps, selector, findOptions))
  const [first] = found
  if (first === undefined) {
    throw await notFound(deps, selector)
  }
  refuseSeveral(
    name,
    found.map(({ plane }) => plane),
  )
  return first
}

/** @throws {VplaneError} `USAGE` with the flags that decide, when several planes have the name. */
export function refuseSeveral(name: string, planes: readonly PlaneReference[]): void {
  if (planes.length > 1) {
    const hosts = new Set(planes.flatMap(({ hostContext }) => hostContext ?? []))
    const hints = planes.map((plane) => placeOptions(plane, { withHost: hosts.size > 1 }))
    const message = `several control planes are named "${name}": ${planes.map(placeOf).join('; ')}`
    throw new VplaneError('USAGE', message, { hints })
  }
}

/** Similar names are only hints: a driver that cannot list its planes has none. */
async function notFound(
  { drivers }: FindDependencies,
  { id, name, ...selector }: PlaneSelector,
): Promise<VplaneError> {
  if (id !== undefined) {
    return deletedMeanwhile(name)
  }
  const scope = { namespace: selector.namespace }
  const lists = await Promise.allSettled(
    candidatesOf(drivers, selector).map((driver) => driver.list(scope)),
  )
  const planes = lists.flatMap((list) => (list.status === 'fulfilled' ? list.value : []))
  const names = new Set(planes.map((plane) => plane.name))
  const similar = [...names].filter((other) => isSimilar(other, name))
  return new VplaneError('CONTROL_PLANE_NOT_FOUND', `no control plane named "${name}"`, {
    hints:
      similar.length > 0
        ? [`did you mean "${similar.slice(0, 3).join('", "')}"?`]
        : [{ action: 'list' }, { action: 'create', plane: { name } }],
  })
}

/** Whether one name begins with the other, or they differ in one character. */
function isSimilar(left: string, right: string): boolean {
  const differing = Array.from(left).filter((character, index) => character !== right[index]).length
  return (
    left.startsWith(right) ||
    right.startsWith(left) ||
    (left.length === right.length && differing === 1)
  )
}
