import { deletedMeanwhile } from '../../plane/deleted-meanwhile.ts'
import { VplaneError } from '../../../shared/errors.ts'
import { someOf } from '../../../shared/text/some-of.ts'
import type { Ui } from '../../../shared/ui.ts'
import type { Driver, Leftover } from '../../driver/driver.ts'
import type { UnreadablePlane } from '../../plane/unreadable-plane.ts'
import { type Plane, type PlaneReference, referenceOf } from '../../plane/plane.ts'
import type { AccessStore } from '../access/access.ts'
import { agreeTo } from '../change/agree-to.ts'
import type { Contexts } from '../access/contexts.ts'
import { stepLines } from '../change/dry-run.ts'
import type { PlaneSelector } from '../find/find-planes.ts'
import { findPlane } from '../find/resolve-plane.ts'
import type { BackgroundTunnels } from '../access/tunnels.ts'

export interface DeleteDependencies {
  drivers: readonly Driver[]
  contexts: Pick<Contexts, 'remove'>
  accesses: AccessStore
  tunnels: Pick<BackgroundTunnels, 'stop'>
  ui: Ui
}

export interface DeleteOptions extends PlaneSelector {
  /** Do not ask. */
  isConfirmed: boolean
  /** Say what would be done, and do nothing. @default false */
  isDryRun?: boolean
  /** Keep volumes and keys, so that a plane of this name can be made of them again. @default false */
  keepData?: boolean
  signal: AbortSignal
}

export interface DeleteResult {
  plane: PlaneReference
  /** The context that was removed from the kubeconfig. */
  removedContext?: string
  /** What is still there, and why. */
  leftovers: Leftover[]
  /** What is done, in its order. */
  steps: string[]
  /** False when it was only to be said. */
  isDeleted: boolean
}

/**
 * Removes a plane and everything that belongs to it, and looks whether it is gone.
 *
 * @throws {VplaneError} `CONTROL_PLANE_NOT_FOUND`, also when another plane has its name by now, `ABORTED` after a no, `USAGE` when nobody can be asked.
 */
export async function deleteControlPlane(
  { accesses, contexts, drivers, tunnels, ui }: DeleteDependencies,
  { isConfirmed, isDryRun = false, keepData = false, signal, ...selector }: DeleteOptions,
): Promise<DeleteResult> {
  const { driver, plane } = await findPlane({ drivers, ui }, selector)
  if (keepData && driver.name === 'local') {
    throw new VplaneError(
      'USAGE',
      'only planes of the driver "kubernetes" leave their data behind',
      { hints: [{ action: 'pause', plane: { name: plane.name } }] },
    )
  }
  const volumes =
    isConfirmed && !isDryRun ? [] : (await driver.pods.volumes(plane)).map(({ name }) => name)
  const steps = stepsOf({ keepData, volumes })
  const isAgreed = await agreeTo(ui, {
    lines: isDryRun ? stepLines(steps) : [],
    question: questionOf(plane.name, { keepData, volumes }),
    refusal: `"${plane.name}" was kept`,
    isConfirmed,
    isDryRun,
  })
  if (!isAgreed) {
    return { plane: referenceOf(plane), leftovers: [], steps, isDeleted: false }
  }
  await refuseAnother(driver, plane)
  // First, so that no client starts the plane again by its context.
  const { kept, removedContext } = await removeContext(contexts, plane, signal)
  const leftovers = await driver.remove(plane, { ui, signal }, { keepData })
  await accesses.remove(plane)
  if (driver.name === 'kubernetes') {
    await tunnels.stop(plane)
  }
  return {
    plane: referenceOf(plane),
    ...(removedContext === undefined ? {} : { removedContext }),
    leftovers: [...leftovers, ...kept],
    steps,
    isDeleted: true,
  }
}

/** While somebody was asked, the plane may have been deleted and created again: the context is that of another one then. */
async function refuseAnother(driver: Driver, plane: Plane | UnreadablePlane): Promise<void> {
  const { name, namespace } = referenceOf(plane)
  const found = await driver.find(name, { namespace })
  if (found.some((one) => 'id' in one && !('id' in plane && plane.id === one.id))) {
    throw deletedMeanwhile(name)
  }
}

function stepsOf({
  keepData,
  volumes,
}: {
  keepData: boolean
  volumes: readonly string[]
}): string[] {
  return [
    'remove its context from the kubeconfig, and its tunnel',
    'stop its components',
    ...(volumes.length === 0 ? [] : [`delete the volumes of its pods: ${volumes.join(', ')}`]),
    keepData
      ? 'delete all else but its data and its keys'
      : 'delete its data, its keys and all else',
  ]
}

function questionOf(
  name: string,
  { keepData, volumes }: { keepData: boolean; volumes: readonly string[] },
): string {
  const ofPods = volumes.length === 0 ? '' : `, with the volumes of its pods (${someOf(volumes)})`
  return keepData
    ? `Delete "${name}" and keep its data${ofPods}?`
    : `Delete "${name}" and everything in it${ofPods}?`
}

/** A kubeconfig that cannot be changed keeps nobody from getting rid of a plane. */
async function removeContext(
  contexts: Pick<Contexts, 'remove'>,
  plane: PlaneReference,
  signal: AbortSignal,
): Promise<{ removedContext?: string; kept: Leftover[] }> {
  try {
    const removed = await contexts.remove(plane, signal)
    return { kept: [], ...(removed === undefined ? {} : { removedContext: removed.context }) }
  } catch (error) {
    if (!(error instanceof VplaneError) || error.code === 'ABORTED') {
      throw error
    }
    return { kept: [{ what: `its context in the kubeconfig`, why: error.message }] }
  }
}
