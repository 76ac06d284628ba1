import { deletedMeanwhile } from '../../plane/deleted-meanwhile.ts'
import { VplaneError } from '../../../shared/errors.ts'
import { unlessMissing } from '../../api/unless-missing.ts'
import type { PlanStep } from '../../../shared/plan-step.ts'
import { someOf } from '../../../shared/text/some-of.ts'
import type { Ui } from '../../../shared/ui.ts'
import type { Driver, Leftover } from '../../driver/driver.ts'
import { READ_ONLY } from '../../driver/endpoint-options.ts'
import type { Snapshots, SnapshotStore } from '../../driver/snapshot.ts'
import { isReadable, type UnreadablePlane } from '../../plane/unreadable-plane.ts'
import { type Plane, type PlaneReference, referenceOf } from '../../plane/plane.ts'
import { isAtServer, storeOf } from '../../store/store.ts'
import type { AccessStore } from '../access/access.ts'
import { agreeTo, type Consent } from '../change/agree-to.ts'
import type { Contexts } from '../access/contexts.ts'
import type { PlaneSelector } from '../find/find-planes.ts'
import { findPlane } from '../find/resolve-plane.ts'
import type { BackgroundTunnels } from '../access/tunnels.ts'
import { leftToOperator, type OpenOperators, withdrawDeclaration } from './withdraw-declaration.ts'

export interface DeleteDependencies {
  drivers: readonly Driver[]
  contexts: Pick<Contexts, 'remove'>
  accesses: AccessStore
  tunnels: Pick<BackgroundTunnels, 'stop'>
  openSnapshots: () => Promise<Pick<Snapshots, 'local'>>
  /** The ControlPlane of a declared plane is deleted, too. @default this is the operator, which does so itself */
  openOperators?: OpenOperators
  ui: Ui
}

export interface DeleteOptions extends PlaneSelector, Consent {
  /** Keep volumes and keys, so that a plane of this name can be created from them again. @default false */
  keepData?: boolean
  /** Leave its data at a server, which may be unreachable. @default false */
  leaveData?: boolean
  /** Delete its snapshots on this machine too. @default false */
  deleteSnapshots?: boolean
  signal: AbortSignal
}

export interface DeleteResult {
  plane: PlaneReference
  removedContext?: string
  leftovers: Leftover[]
  /** Ids of its snapshots on this machine, which stay. */
  snapshots: string[]
  steps: PlanStep[]
  /** False in a dry run. */
  isDeleted: boolean
}

/**
 * Deletes a plane and everything that belongs to it, and checks that all of it is gone.
 * @throws {VplaneError} `CONTROL_PLANE_NOT_FOUND`, also when another plane has its name now, and what `agreeTo` throws.
 */
export async function deleteControlPlane(
  { accesses, contexts, drivers, openOperators, openSnapshots, tunnels, ui }: DeleteDependencies,
  options: DeleteOptions,
): Promise<DeleteResult> {
  const { deleteSnapshots = false, isConfirmed, isDryRun = false } = options
  const { keepData = false, leaveData = false, signal, ...selector } = options
  const { driver, plane } = await findPlane({ drivers, ui }, selector)
  if (keepData && driver.name === 'local') {
    throw new VplaneError('USAGE', 'only the driver "kubernetes" can keep the data of a plane', {
      hints: [{ action: 'pause', plane: { name: plane.name } }],
    })
  }
  if (keepData && isReadable(plane) && isAtServer(plane.spec)) {
    const message = `the data of "${plane.name}" is at a server, and cannot be kept for another plane`
    throw new VplaneError('USAGE', message, {
      hints: [
        { action: 'pause', plane: { name: plane.name } },
        {
          purpose: 'or delete it without its data',
          action: 'delete',
          plane: { name: plane.name },
          leaveData: true,
        },
      ],
    })
  }
  if (leaveData && isReadable(plane) && !isAtServer(plane.spec)) {
    const message = `"${plane.name}" has no data at a server that could be left: its store is ${storeOf(plane.spec).title}`
    throw new VplaneError('USAGE', message)
  }
  const volumes =
    isConfirmed && !isDryRun ? [] : (await driver.pods.volumes(plane)).map(({ name }) => name)
  const stored = await storedSnapshots(openSnapshots, plane, signal).catch((error: unknown) => {
    if (deleteSnapshots) {
      throw error
    }
    // A store that cannot be listed does not prevent the deletion.
    return { local: undefined, ids: [] }
  })
  const [removed, snapshots] = deleteSnapshots ? [stored.ids, []] : [[], stored.ids]
  const steps = stepsOf({ keepData, volumes, snapshots: removed })
  const result = { plane: referenceOf(plane), steps }
  const proposal = {
    steps: isDryRun ? steps : undefined,
    question: questionOf(plane.name, { keepData, leaveData, volumes, remaining: snapshots.length }),
    refusal: `"${plane.name}" was not deleted`,
  }
  if (!(await agreeTo(ui, { ...proposal, isConfirmed, isDryRun }))) {
    return { ...result, leftovers: [], snapshots: stored.ids, isDeleted: false }
  }
  await refuseAnother(driver, plane)
  // The context goes first, so that no client starts the plane again.
  const isHosted = driver.name === 'kubernetes'
  const certificateAuthority = isHosted ? undefined : await authorityOf(driver, plane)
  const removal = { ...referenceOf(plane), certificateAuthority }
  const { remaining, removedContext } = await removeContext(contexts, removal, signal)
  const forgetAccess = async () => {
    await accesses.remove(plane)
    await (isHosted && tunnels.stop(plane))
  }
  // The folder of a local plane contains its access.
  await (isHosted && forgetAccess())
  // Not before the driver knows that it can delete the plane, and not after that, when the command could not be continued.
  const whenCertain = async () => {
    const { local } = stored
    for (const id of removed) {
      // Another vplane may delete it at the same time.
      await unlessMissing(local?.delete(id, signal))
    }
  }
  const declaration = await withdrawDeclaration(openOperators, plane, { leaveData, signal })
  // One whose database cannot be deleted stays, and so does its ControlPlane.
  let isEnding = !isReadable(plane) || !isAtServer(plane.spec)
  await using _ending = {
    [Symbol.asyncDispose]: async () => void (isEnding && (await declaration?.free())),
  }
  const leftovers = await driver
    .remove(plane, { ui, signal }, { keepData, leaveData, whenCertain })
    .catch((error: unknown) => {
      throw declaration === undefined || isEnding ? error : leftToOperator(error)
    })
  isEnding = true
  // A context in another kubeconfig may have been used meanwhile.
  await forgetAccess()
  return {
    ...result,
    snapshots,
    ...(removedContext === undefined ? {} : { removedContext }),
    leftovers: [...leftovers, ...remaining],
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

function stepsOf({
  keepData,
  snapshots,
  volumes,
}: {
  keepData: boolean
  snapshots: string[]
  volumes: string[]
}): PlanStep[] {
  return [
    { action: 'remove-context' },
    { action: 'stop-components' },
    ...(snapshots.length === 0 ? [] : [{ action: 'delete-snapshots', snapshots } as const]),
    ...(volumes.length === 0 ? [] : [{ action: 'delete-volumes', volumes } as const]),
    { action: 'delete-all', keepData },
  ]
}

async function storedSnapshots(
  openSnapshots: DeleteDependencies['openSnapshots'],
  plane: Plane | UnreadablePlane,
  signal: AbortSignal,
): Promise<{ local: SnapshotStore | undefined; ids: string[] }> {
  const { local } = await openSnapshots()
  const { driver, name, namespace } = referenceOf(plane)
  const found = await local.list(signal, name)
  const ids = found
    .filter((one) => one.driver === driver && one.namespace === namespace)
    .filter(({ planeId }) => planeId === undefined || !('id' in plane) || planeId === plane.id)
    .map(({ id }) => id)
  return { local, ids }
}

function questionOf(
  name: string,
  options: { keepData: boolean; leaveData: boolean; volumes: readonly string[]; remaining: number },
): string {
  const { keepData, leaveData, remaining, volumes } = options
  const stay = remaining === 0 ? '' : ` Its snapshots on this machine stay: ${remaining}.`
  const ofPods = volumes.length === 0 ? '' : `, with the volumes of its pods (${someOf(volumes)})`
  const all = leaveData ? 'leave its data at the server' : 'everything in it'
  const data = keepData ? 'keep its data' : all
  return `Delete "${name}" and ${data}${ofPods}?${stay}`
}

/** The CAs of a plane of this machine, if it has them: in another folder, a plane may have the same name. */
async function authorityOf(
  driver: Driver,
  plane: Plane | UnreadablePlane,
): Promise<string | undefined> {
  if (!isReadable(plane)) {
    return undefined
  }
  const endpoint = await driver.endpoint(plane, READ_ONLY).catch(() => undefined)
  return endpoint?.certificateAuthority
}

/** A kubeconfig that cannot be changed does not prevent the deletion. */
async function removeContext(
  contexts: Pick<Contexts, 'remove'>,
  plane: Parameters<Contexts['remove']>[0],
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
