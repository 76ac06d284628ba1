import { deletedMeanwhile } from '../../plane/deleted-meanwhile.ts'
import { VplaneError } from '../../../shared/errors.ts'
import { someOf } from '../../../shared/text/some-of.ts'
import type { Ui } from '../../../shared/ui.ts'
import type { Driver, Leftover } from '../../driver/driver.ts'
import type { UnreadablePlane } from '../../plane/unreadable-plane.ts'
import { type Plane, type PlaneReference, referenceOf } from '../../plane/plane.ts'
import type { AccessStore } from '../access/access.ts'
import { agreeTo, type Consent, stepLines } from '../change/agree-to.ts'
import type { Contexts } from '../access/contexts.ts'
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

export interface DeleteOptions extends PlaneSelector, Consent {
  /** Keep volumes and keys, so that a plane of this name can be created from them again. @default false */
  keepData?: boolean
  signal: AbortSignal
}

export interface DeleteResult {
  plane: PlaneReference
  /** The context that was removed from the kubeconfig. */
  removedContext?: string
  /** What could not be removed, and why. */
  leftovers: Leftover[]
  /** What is done, in order. */
  steps: string[]
  /** False in a dry run. */
  isDeleted: boolean
}

/**
 * Deletes a plane and everything that belongs to it, and checks that all of it is gone.
 *
 * @throws {VplaneError} `CONTROL_PLANE_NOT_FOUND`, also when another plane has its name now, and what `agreeTo` throws.
 */
export async function deleteControlPlane(
  { accesses, contexts, drivers, tunnels, ui }: DeleteDependencies,
  { isConfirmed, isDryRun = false, keepData = false, signal, ...selector }: DeleteOptions,
): Promise<DeleteResult> {
  const { driver, plane } = await findPlane({ drivers, ui }, selector)
  if (keepData && driver.name === 'local') {
    throw new VplaneError('USAGE', 'only the driver "kubernetes" can keep the data of a plane', {
      hints: [{ action: 'pause', plane: { name: plane.name } }],
    })
  }
  const volumes =
    isConfirmed && !isDryRun ? [] : (await driver.pods.volumes(plane)).map(({ name }) => name)
  const steps = stepsOf(keepData, volumes)
  const proposal = {
    lines: isDryRun ? stepLines(steps) : [],
    question: questionOf(plane.name, { keepData, volumes }),
    refusal: `"${plane.name}" was not deleted`,
  }
  if (!(await agreeTo(ui, { ...proposal, isConfirmed, isDryRun }))) {
    return { plane: referenceOf(plane), leftovers: [], steps, isDeleted: false }
  }
  await refuseAnother(driver, plane)
  // The context goes first, so that no client starts the plane again.
  const { remaining, removedContext } = await removeContext(contexts, plane, signal)
  const leftovers = await driver.remove(plane, { ui, signal }, { keepData })
  await accesses.remove(plane)
  if (driver.name === 'kubernetes') {
    await tunnels.stop(plane)
  }
  return {
    plane: referenceOf(plane),
    ...(removedContext === undefined ? {} : { removedContext }),
    leftovers: [...leftovers, ...remaining],
    steps,
    isDeleted: true,
  }
}

/** While the user was asked, someone may have deleted the plane and created another one, which now owns the context. */
async function refuseAnother(driver: Driver, plane: Plane | UnreadablePlane): Promise<void> {
  const { name, namespace } = referenceOf(plane)
  const found = await driver.find(name, { namespace })
  if (found.some((one) => 'id' in one && !('id' in plane && plane.id === one.id))) {
    throw deletedMeanwhile(name)
  }
}

function stepsOf(keepData: boolean, volumes: readonly string[]): string[] {
  return [
    'remove its context from the kubeconfig, and its tunnel',
    'stop its components',
    ...(volumes.length === 0 ? [] : [`delete the volumes of its pods: ${volumes.join(', ')}`]),
    keepData
      ? 'delete everything but its data and its keys'
      : 'delete its data, its keys and everything else',
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

/** A kubeconfig that cannot be changed does not prevent the deletion. */
async function removeContext(
  contexts: Pick<Contexts, 'remove'>,
  plane: PlaneReference,
  signal: AbortSignal,
): Promise<{ removedContext?: string; remaining: Leftover[] }> {
  try {
    const removed = await contexts.remove(plane, signal)
    return { remaining: [], ...(removed === undefined ? {} : { removedContext: removed.context }) }
  } catch (error) {
    if (!(error instanceof VplaneError) || error.code === 'ABORTED') {
      throw error
    }
    return { remaining: [{ what: 'its context in the kubeconfig', why: error.message }] }
  }
}
