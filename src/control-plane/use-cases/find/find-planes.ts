import { messageOf, VplaneError } from '../../../shared/errors.ts'
import type { Ui } from '../../../shared/ui.ts'
import type { Driver } from '../../driver/driver.ts'
import type { UnreadablePlane } from '../../plane/unreadable-plane.ts'
import type { DriverName } from '../../spec/driver-name.ts'
import type { Plane } from '../../plane/plane.ts'
import { within } from '../../../shared/wait.ts'

/** What a user says to name a plane. */
export interface PlaneSelector {
  name: string
  /** Needed only when the name alone fits several. */
  driver?: DriverName | undefined
  /** Host namespace; whoever names one means a plane in a host cluster. */
  namespace?: string | undefined
  /** Context of the host cluster; whoever names one means a plane there. */
  hostContext?: string | undefined
}

export interface FindDependencies {
  drivers: readonly Driver[]
  ui: Pick<Ui, 'note'>
}

export interface FindOptions {
  /** How long a host cluster may keep a plane of this machine waiting, in milliseconds. @default 1500 */
  hostPatienceMs?: number
}

export interface FoundPlane {
  driver: Driver
  plane: Plane | UnreadablePlane
}

/**
 * Every plane that a selector fits, in all drivers that it leaves.
 *
 * A host cluster that fails or does not answer neither hides nor delays a plane of this machine: that is a note. Only
 * when nothing fits, what kept the host from answering is the error.
 *
 * @throws {VplaneError} `USAGE` when the selector contradicts itself, and what the drivers throw.
 */
export async function findPlanes(
  { drivers, ui }: FindDependencies,
  selector: PlaneSelector,
  { hostPatienceMs = 1500 }: FindOptions = {},
): Promise<FoundPlane[]> {
  const candidates = candidatesOf(drivers, selector)
  const look = async (driver: Driver, signal: AbortSignal) => {
    const scope = { namespace: selector.namespace, signal, ui }
    const planes = await driver.find(selector.name, scope)
    return planes
      .filter((plane) => fits(plane, selector))
      .map((plane): FoundPlane => ({ driver, plane }))
  }
  using stop = abortedAtTheEnd()
  const startedAt = performance.now()
  const hosts = candidates
    .filter(({ name }) => name !== 'local')
    .map((driver) => answerOf(look(driver, stop.signal)))
  const local = candidates.filter(({ name }) => name === 'local')
  const here = (await Promise.all(local.map((driver) => look(driver, stop.signal)))).flat()
  const leftMs = Math.max(1, hostPatienceMs - (performance.now() - startedAt))
  const answers = await Promise.all(
    here.length === 0 ? hosts : hosts.map((answer) => answerOf(within(leftMs, () => answer))),
  )
  const found = [...answers.flatMap((answer) => answer.found), ...here]
  const failed = answers.find(({ error }) => error !== undefined)
  if (failed !== undefined && found.length === 0) {
    throw failed.error
  }
  if (failed !== undefined) {
    const [why] = messageOf(failed.error).split('\n')
    ui.note(`Not looked up in the host cluster: ${why}`, {
      purpose: 'not to ask it',
      driver: 'local',
    })
  }
  return found
}

interface Answer {
  found: FoundPlane[]
  error?: unknown
}

/**
 * The drivers that may have the plane.
 *
 * @throws {VplaneError} `USAGE` when a host is named and the driver is the one without a host.
 */
export function candidatesOf(
  drivers: readonly Driver[],
  { driver, hostContext, namespace }: Omit<PlaneSelector, 'name'>,
): readonly Driver[] {
  const isOnHost = namespace !== undefined || hostContext !== undefined
  if (isOnHost && driver === 'local') {
    const option = namespace === undefined ? 'hostContext' : 'namespace'
    throw new VplaneError('USAGE', 'planes of the driver "local" are in no host cluster', {
      hints: [{ [option]: false }, { purpose: 'or', driver: false }],
    })
  }
  const wanted = driver ?? (isOnHost ? 'kubernetes' : undefined)
  return wanted === undefined ? drivers : drivers.filter(({ name }) => name === wanted)
}

function fits(
  plane: Plane | UnreadablePlane,
  { hostContext, namespace }: Pick<PlaneSelector, 'hostContext' | 'namespace'>,
): boolean {
  return (
    (namespace === undefined || plane.namespace === namespace) &&
    (hostContext === undefined || plane.hostContext === hostContext)
  )
}

async function answerOf(looking: Promise<FoundPlane[] | Answer>): Promise<Answer> {
  try {
    const result = await looking
    return Array.isArray(result) ? { found: result } : result
  } catch (error) {
    return { found: [], error }
  }
}

function abortedAtTheEnd(): Disposable & { signal: AbortSignal } {
  const controller = new AbortController()
  return { signal: controller.signal, [Symbol.dispose]: () => controller.abort() }
}
