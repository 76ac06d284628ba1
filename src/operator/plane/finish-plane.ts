import type { Driver } from '../../control-plane/driver/driver.ts'
import { changeOwner } from '../../control-plane/use-cases/declare/change-owner.ts'
import type { Plane } from '../../control-plane/plane/plane.ts'
import { isReadable, type UnreadablePlane } from '../../control-plane/plane/unreadable-plane.ts'
import { databaseOf, isAtServer, storeOf } from '../../control-plane/store/store.ts'
import type { PlaneSelector } from '../../control-plane/use-cases/find/find-planes.ts'
import { unusable } from '../../control-plane/use-cases/find/resolve-plane.ts'
import { createSnapshot } from '../../control-plane/use-cases/snapshot/create-snapshot.ts'
import {
  deleteControlPlane,
  type DeleteDependencies,
} from '../../control-plane/use-cases/stop/delete-control-plane.ts'
import { refuseLeftovers } from '../../control-plane/use-cases/stop/refuse-leftovers.ts'
import { resumeControlPlane } from '../../control-plane/use-cases/stop/pause-control-plane.ts'
import type { KeeperEvent } from '../../keeper/duties/duty.ts'
import type { KubeClient } from '../../kube/client/client.ts'
import { isVplaneError, VplaneError } from '../../shared/errors.ts'
import { objectPath } from '../../shared/kube/collections.ts'
import { isLeaving, type KubeObject } from '../../shared/kube/kube-object.ts'
import { omitUndefined } from '../../shared/omit-undefined.ts'
import { silentUi } from '../../shared/ui.ts'
import {
  deletionPolicyOf,
  FINALIZER,
  hasFinalizer,
  specOf,
} from '../resource/control-plane-resource.ts'
import type { EnsureDependencies } from './ensure-plane.ts'
import { putFinalizers } from '../resource/put-finalizers.ts'
import type { BackupPlace } from '../duties/plane-snapshots.ts'

export interface FinishDependencies
  extends
    Omit<EnsureDependencies, 'ui'>,
    Omit<DeleteDependencies, 'openOperators' | 'openSnapshots' | 'ui'> {
  driver: Driver
  host: Pick<KubeClient, 'get' | 'patch'>
  /** Tells the owner of the operator about something that no status can show any more. */
  report: (event: KeeperEvent) => void
}

export interface Finished {
  resource: KubeObject
  selector: PlaneSelector
}

/** How long the objects of a plane may take to go with their namespace, in milliseconds. */
const ENDING_MS = 5000

/**
 * Does what the deletion policy of a ControlPlane that is being deleted says, which may go then. In a namespace that is
 * being deleted, the plane is deleted in any case: its data goes with the namespace.
 */
export async function finishPlane(
  deps: FinishDependencies,
  { resource, selector }: Finished,
  signal: AbortSignal,
): Promise<void> {
  if (!hasFinalizer(resource)) {
    return
  }
  const { name, namespace } = selector
  const [plane] = await deps.driver.find(name, { namespace, signal })
  if (await isNamespaceEnding(deps, namespace, signal)) {
    await endWithNamespace(deps, { resource, selector, plane }, signal)
  } else if (plane !== undefined && !isReadable(plane)) {
    refuseUnreadable(plane, resource)
  } else if (plane !== undefined && plane.declaredBy === resource.metadata.uid) {
    await end(deps, { resource, selector, plane }, signal)
  }
  await putFinalizers(deps, { resource, remove: FINALIZER }, signal)
}

/** Without its record, nobody knows whose plane it is: without its ControlPlane, it would run with no one. */
function refuseUnreadable(plane: UnreadablePlane, resource: KubeObject): void {
  if (plane.isKept !== true && deletionPolicyOf(resource) !== 'Retain') {
    throw withHint(unusable(plane), 'or set "deletionPolicy: Retain" in the ControlPlane')
  }
}

/** Deletes what a namespace leaves of a plane; the host may have deleted the record of the plane already. */
async function endWithNamespace(
  { driver, report }: FinishDependencies,
  { plane, resource, selector }: Finished & { plane: Plane | UnreadablePlane | undefined },
  signal: AbortSignal,
): Promise<void> {
  const { name, namespace } = selector
  const policy = deletionPolicyOf(resource)
  if (policy !== 'Delete') {
    report({
      level: 'warning',
      reason: 'DeletedWithNamespace',
      message: `"${name}" was deleted although its deletionPolicy is ${policy}: its namespace "${namespace}" is being deleted`,
    })
  }
  const rest = {
    driver: driver.name,
    name,
    ...omitUndefined({ namespace }),
    reason: 'its record is deleted',
  }
  const database = plane !== undefined && isReadable(plane) ? databaseOf(plane.spec) : undefined
  if (database !== undefined) {
    report({
      level: 'warning',
      reason: 'DatabaseLeft',
      message: `"${name}" was deleted without its database at ${database.host}: its namespace "${namespace}" is being deleted`,
    })
  }
  const operation = { ui: silentUi, signal, timeoutMs: ENDING_MS }
  try {
    // No pod can start there any more, and so nothing can connect to the server of its database.
    await driver.remove(plane ?? rest, operation, { keepData: false, leaveData: true })
  } catch (error) {
    // What is outside of the namespace is deleted first; the rest ends with the namespace.
    if (!isVplaneError(error, 'TIMED_OUT')) {
      throw error
    }
  }
}

async function end(
  deps: FinishDependencies,
  { plane, resource, selector }: Finished & { plane: Plane },
  signal: AbortSignal,
): Promise<void> {
  const policy = deletionPolicyOf(resource)
  if (policy === 'Retain') {
    const { driver, timeoutMs } = deps
    await changeOwner({ ...deps, ui: silentUi }, { driver, plane, timeoutMs, signal }, null)
    return
  }
  const leaveData = policy === 'LeaveData'
  if (leaveData && !isAtServer(plane.spec)) {
    const message = `"deletionPolicy: LeaveData" is for data at a server, and the store of "${plane.name}" is ${storeOf(plane.spec).title}`
    throw new VplaneError('INVALID_SPEC', message, { hints: ['set Delete or Retain'] })
  }
  const options = { ...selector, isConfirmed: true, signal }
  // A store that fails can be replaced while the ControlPlane is being deleted.
  const { backup = plane.spec.backup } = specOf(resource)
  const { namespace } = selector
  const snapshotsIn = (place: BackupPlace) => ({
    openSnapshots: () => deps.snapshotsOf(place, signal),
  })
  const quiet = { ...deps, ui: silentUi }
  // A plane that was never started has no data; one that an earlier try began to delete has its snapshot.
  const isBegun = plane.unfinished?.includes('deletion') === true
  if (policy === 'Snapshot' && plane.neverStarted !== true && !isBegun) {
    const { store: output } = backup ?? {}
    if (output === undefined) {
      throw new VplaneError('INVALID_SPEC', '"deletionPolicy: Snapshot" needs "backup.store"')
    }
    if (plane.desired === 'paused') {
      await resumeControlPlane(quiet, { ...options, timeoutMs: deps.timeoutMs })
    }
    const store = snapshotsIn({ namespace, backup })
    await createSnapshot({ ...quiet, ...store }, { ...selector, output, signal })
  }
  // A store that does not answer does not delay the deletion.
  const withoutStore = { ...quiet, ...snapshotsIn({ backup: undefined }) }
  const { leftovers } = await deleteControlPlane(withoutStore, { ...options, leaveData }).catch(
    (error: unknown) => {
      // What to do when a server does not answer.
      const hint = 'or set "deletionPolicy: LeaveData" in the ControlPlane'
      throw isAtServer(plane.spec) ? withHint(error, hint) : error
    },
  )
  const kept = leftovers.filter(({ isKept }) => isKept === true)
  if (isAtServer(plane.spec) && kept.length > 0) {
    const left = kept.map(({ what }) => what).join(', ')
    const message = `"${plane.name}" was deleted, and left ${left}`
    deps.reportOn(plane)({ level: 'normal', reason: 'DatabaseLeft', message })
  }
  // The ControlPlane stays, so that the operator tries again.
  refuseLeftovers(plane, leftovers)
}

/** Also what to do in the ControlPlane. */
function withHint(error: unknown, hint: string): unknown {
  return error instanceof VplaneError
    ? new VplaneError(error.code, error.message, { hints: [...error.hints, hint], cause: error })
    : error
}

async function isNamespaceEnding(
  { host }: Pick<FinishDependencies, 'host'>,
  name: string | undefined,
  signal: AbortSignal,
): Promise<boolean> {
  const namespace =
    name === undefined ? undefined : await host.get(objectPath('namespaces', { name }), { signal })
  return namespace !== undefined && isLeaving(namespace)
}
