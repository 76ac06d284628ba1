import { abortOnDispose } from '../../../shared/abort-on-dispose.ts'
import { messageOf, VplaneError } from '../../../shared/errors.ts'
import type { Ui } from '../../../shared/ui.ts'
import type { Driver } from '../../driver/driver.ts'
import type { UnreadablePlane } from '../../plane/unreadable-plane.ts'
import type { DriverName } from '../../spec/driver-name.ts'
import type { Plane } from '../../plane/plane.ts'
import { within } from '../../../shared/wait.ts'

export interface PlaneSelector {
  name: string
  /** Needed only when several planes have the name. */
  driver?: DriverName | undefined
  /** Host namespace; with one, only planes in a host cluster are meant. */
  namespace?: string | undefined
  /** Context of the host cluster; with one, only planes in it are meant. */
  hostContext?: string | undefined
  /** Only the plane with this id, not a later one of its name. @default any */
  id?: string | undefined
}

export interface FindDependencies {
  drivers: readonly Driver[]
  ui: Pick<Ui, 'note'>
}

export interface FindOptions {
  /** How long a host cluster may delay finding a local plane, in milliseconds. @default 1500 */
  hostPatienceMs?: number
}

export interface FoundPlane {
  driver: Driver
  plane: Plane | UnreadablePlane
}

/**
 * Returns every plane that a selector matches, in all drivers that it allows. A host cluster that fails or does not
 * answer neither hides nor delays a local plane: vplane prints a note. Its failure is the error only when no plane
 * matches.
 * @throws {VplaneError} `USAGE` when the selector contradicts itself, and what the drivers throw.
 */
export async function findPlanes(
  { drivers, ui }: FindDependencies,
  selector: PlaneSelector,
  { hostPatienceMs = 1500 }: FindOptions = {},
): Promise<FoundPlane[]> {
  const candidates = candidatesOf(drivers, selector)
  const findIn = async (driver: Driver, signal: AbortSignal) => {
    const scope = { namespace: selector.namespace, signal, ui }
    const planes = await driver.find(selector.name, scope)
    return planes
      .filter((plane) => matches(plane, selector))
      .map((plane): FoundPlane => ({ driver, plane }))
  }
  using stop = abortOnDispose()
  const startedAt = performance.now()
  const hosts = candidates
    .filter(({ name }) => name !== 'local')
    .map((driver) => findIn(driver, stop.signal))
  const answering = Promise.allSettled(hosts)
  const local = candidates.filter(({ name }) => name === 'local')
  const here = (await Promise.all(local.map((driver) => findIn(driver, stop.signal)))).flat()
  const leftMs = Math.max(1, hostPatienceMs - (performance.now() - startedAt))
  const answers =
    here.length === 0
      ? await answering
      : await Promise.allSettled(hosts.map((host) => within(leftMs, () => host)))
  const found = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
  found.push(...here)
  const failed = answers.find((answer) => answer.status === 'rejected')
  if (failed !== undefined) {
    const { reason }: { reason: unknown } = failed
    if (found.length === 0) {
      throw reason
    }
    const [why] = messageOf(reason).split('\n')
    ui.note(`The host cluster was not searched: ${why}`, { purpose: 'to skip it', driver: 'local' })
  }
  return found
}

/** Those that may have it. @throws {VplaneError} `USAGE` for a host with the driver `local`. */
export function candidatesOf(
  drivers: readonly Driver[],
  { driver, hostContext, namespace }: Omit<PlaneSelector, 'name'>,
): readonly Driver[] {
  const isOnHost = namespace !== undefined || hostContext !== undefined
  if (isOnHost && driver === 'local') {
    const option = namespace === undefined ? 'hostContext' : 'namespace'
    throw new VplaneError('USAGE', 'planes of the driver "local" are not in a host cluster', {
      hints: [{ [option]: false }, { purpose: 'or', driver: false }],
    })
  }
  const wanted = driver ?? (isOnHost ? 'kubernetes' : undefined)
  return wanted === undefined ? drivers : drivers.filter(({ name }) => name === wanted)
}

function matches(
  plane: Plane | UnreadablePlane,
  { hostContext, id, namespace }: Omit<PlaneSelector, 'name'>,
): boolean {
  return (
    (id === undefined || ('id' in plane && plane.id === id)) &&
    (namespace === undefined || plane.namespace === namespace) &&
    (hostContext === undefined || plane.hostContext === hostContext)
  )
}
