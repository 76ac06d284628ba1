import { VplaneError } from '../../shared/errors.ts'
import { type Driver, isReadable, type UnreadablePlane } from '../driver.ts'
import { parseName } from '../names.ts'
import type { DriverName, Plane, PlaneReference } from '../plane.ts'

/** What a user says to name a plane. */
export interface PlaneSelector {
  name: string
  /** Needed only when the name alone fits several. */
  driver?: DriverName | undefined
  namespace?: string | undefined
}

export interface FoundPlane {
  driver: Driver
  plane: Plane | UnreadablePlane
}

export interface ResolvedPlane {
  driver: Driver
  plane: Plane
}

/**
 * The one plane that a selector means, in all drivers.
 *
 * @throws {VplaneError} `CONTROL_PLANE_NOT_FOUND`, `INVALID_NAME`, `FAILED` when its stored state cannot be read, and
 * `USAGE` when several fit, with the flag that decides.
 */
export async function resolvePlane(
  drivers: readonly Driver[],
  selector: PlaneSelector,
): Promise<ResolvedPlane> {
  const { driver, plane } = await findPlane(drivers, selector)
  if (!isReadable(plane)) {
    throw new VplaneError(
      'FAILED',
      `the stored state of "${plane.name}" cannot be read: ${plane.reason}`,
      {
        hints: [`vplane delete ${plane.name}`],
      },
    )
  }
  return { driver, plane }
}

/** Like `resolvePlane`, for what may be done with a plane whose stored state cannot be read. */
export async function findPlane(
  drivers: readonly Driver[],
  { driver: wanted, name, namespace }: PlaneSelector,
): Promise<FoundPlane> {
  parseName(name)
  const candidates = drivers.filter((driver) => wanted === undefined || driver.name === wanted)
  const found = (
    await Promise.all(
      candidates.map(async (driver) =>
        (await driver.find(name)).map((plane) => ({ driver, plane })),
      ),
    )
  )
    .flat()
    .filter(({ plane }) => namespace === undefined || plane.namespace === namespace)
  const [first, ...others] = found
  if (first === undefined) {
    throw await notFound(candidates, name)
  }
  if (others.length > 0) {
    throw new VplaneError(
      'USAGE',
      `"${name}" fits several planes: ${found.map(placeOf).join(', ')}`,
      {
        hints: ['say which with --driver or --namespace'],
      },
    )
  }
  return first
}

/** Where a plane is, in words. */
function placeOf({ plane }: { plane: PlaneReference }): string {
  return plane.namespace === undefined
    ? `driver ${plane.driver}`
    : `driver ${plane.driver}, namespace ${plane.namespace}`
}

async function notFound(drivers: readonly Driver[], name: string): Promise<VplaneError> {
  const planes = (await Promise.all(drivers.map((driver) => driver.list()))).flat()
  const similar = planes.map((plane) => plane.name).filter((other) => isSimilar(other, name))
  return new VplaneError('CONTROL_PLANE_NOT_FOUND', `no control plane named "${name}"`, {
    hints:
      similar.length > 0
        ? [`did you mean "${similar.slice(0, 3).join('", "')}"?`]
        : ['vplane list', `vplane create ${name}`],
  })
}

/** One name begins with the other, or they differ in one character's place. */
function isSimilar(left: string, right: string): boolean {
  const differing = Array.from(left).filter((character, index) => character !== right[index]).length
  return (
    left.startsWith(right) ||
    right.startsWith(left) ||
    (left.length === right.length && differing === 1)
  )
}
