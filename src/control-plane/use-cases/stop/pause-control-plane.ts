import { messageOf, VplaneError } from '../../../shared/errors.ts'
import type { Driver } from '../../driver/driver.ts'
import type { Plane } from '../../plane/plane.ts'
import { type AccessDependencies, type AccessStore, waitForAccess } from '../access/access.ts'
import { deleteOldLeases } from '../../api/delete-old-leases.ts'
import {
  type SnapshotDependencies,
  takeSnapshot,
  type TakenSnapshot,
} from '../snapshot/create-snapshot.ts'
import { pauseSteps, resumeSteps, reportPlan } from '../change/dry-run.ts'
import type { PlaneSelector } from '../find/find-planes.ts'
import { resolvePlane } from '../find/resolve-plane.ts'

/** Those of the plane's own that elect a leader, by the names of their Leases: a pause stops them all. */
const ELECTING = ['kube-controller-manager', 'kube-scheduler'] as const

/** How many of the snapshots that its pauses took a plane keeps. */
const KEPT_SNAPSHOTS = 3

export interface ChangeOptions extends PlaneSelector {
  signal: AbortSignal
}

export interface PauseOptions extends ChangeOptions {
  /** Take no snapshot first. @default false */
  withoutSnapshot?: boolean
  /** Say what would be done, and do nothing. @default false */
  isDryRun?: boolean
}

export interface PausedPlane {
  plane: Plane
  /** What it had before it was stopped; none of a plane that is ephemeral, rests already, or whose etcd does not run. */
  snapshot?: TakenSnapshot
  /** What would be done, when it was only to be said. @default it was done */
  steps?: string[]
}

/**
 * Stops a plane's components, after a snapshot of what it has, and keeps its data and contexts; a plane that rests already
 * is fine.
 *
 * @throws {VplaneError} `CONTROL_PLANE_NOT_FOUND`, and what `createSnapshot` does when no snapshot can be taken.
 */
export async function pauseControlPlane(
  { accesses, drivers, ...deps }: SnapshotDependencies & { accesses: AccessStore },
  { isDryRun = false, signal, withoutSnapshot = false, ...selector }: PauseOptions,
): Promise<PausedPlane> {
  const { ui } = deps
  const { driver, plane } = await resolvePlane({ drivers, ui }, selector)
  const withSnapshot = !withoutSnapshot && (await isWorthSnapshot(driver, plane))
  if (isDryRun) {
    return { plane, steps: reportPlan(ui, await pauseSteps(driver, plane, { withSnapshot })) }
  }
  const snapshot = withSnapshot ? await snapshotBefore(deps, { driver, plane, signal }) : undefined
  await driver.pause(plane, { ui, signal })
  if (snapshot !== undefined) {
    await pruneSnapshots(deps, snapshot, { plane, signal })
  }
  if (driver.name === 'kubernetes') {
    // A tunnel goes on answering: without a credential at hand the plugin looks how the plane is, and starts it.
    await accesses.remove(plane)
  }
  return {
    plane: { ...plane, desired: 'paused' },
    ...(snapshot === undefined ? {} : { snapshot }),
  }
}

/** Nothing is lost by going on without one where etcd does not run: pausing leaves what lies on its disk as it is. */
async function isWorthSnapshot(driver: Driver, plane: Plane): Promise<boolean> {
  const isWorthIt = plane.desired === 'running' && !plane.spec.ephemeral
  return isWorthIt && (await driver.isRunning(plane, ['etcd']))
}

async function snapshotBefore(
  { now, openSnapshots, ui }: Omit<SnapshotDependencies, 'drivers'>,
  target: { driver: Driver; plane: Plane; signal: AbortSignal },
): Promise<TakenSnapshot> {
  const { plane, signal } = target
  try {
    const snapshots = await openSnapshots()
    const place = snapshots.kept
    return await takeSnapshot({ now, snapshots, ui }, { ...target, place, reason: 'pause' })
  } catch (error) {
    signal.throwIfAborted()
    throw error instanceof VplaneError ? withNextStep(error, plane) : error
  }
}

/** Deletes those that pauses of this very plane took before, but for the newest; others are not ours to delete. */
async function pruneSnapshots(
  { openSnapshots, ui }: Pick<SnapshotDependencies, 'openSnapshots' | 'ui'>,
  newest: TakenSnapshot,
  { plane, signal }: { plane: Plane; signal: AbortSignal },
): Promise<void> {
  try {
    const { kept } = await openSnapshots()
    const stored = await kept.list(signal)
    // Whatever a clock that was set says is older, the newest is the one that was just taken.
    const before = stored.filter(({ id, pauseOf }) => pauseOf === plane.id && id !== newest.id)
    for (const { id } of before.slice(0, 1 - KEPT_SNAPSHOTS)) {
      await kept.delete(id, signal)
    }
  } catch (error) {
    signal.throwIfAborted()
    ui.warn(`old snapshots of "${plane.name}" cannot be deleted: ${messageOf(error)}`)
  }
}

function withNextStep({ cause, code, message }: VplaneError, plane: Plane): VplaneError {
  return new VplaneError(code, `no snapshot of "${plane.name}", so it runs on: ${message}`, {
    hints: [{ purpose: 'to pause without one', action: 'pause', plane, noSnapshot: true }],
    cause,
  })
}

/**
 * Starts a plane's components and waits until it can be used; a plane that runs is fine. Of one that rested, those that
 * elect a leader do not wait for the one from before.
 *
 * @throws {VplaneError} `CONTROL_PLANE_NOT_FOUND`, and what `waitUntilReady` throws.
 */
export async function resumeControlPlane(
  { drivers, ...deps }: AccessDependencies & { drivers: readonly Driver[] },
  { signal, timeoutMs, ...selector }: ChangeOptions & { timeoutMs: number },
): Promise<Plane> {
  const { ui } = deps
  const { driver, plane } = await resolvePlane({ drivers, ui }, selector)
  const begunAt = deps.now()
  const isLeaderless = hasElections(plane) && !(await driver.isRunning(plane, [ELECTING[0]]))
  await driver.start(plane, { ui, signal, timeoutMs })
  const access = await waitForAccess(deps, { driver, plane, timeoutMs, signal })
  if (isLeaderless) {
    await using api = deps.openApi(access)
    await deleteOldLeases(api, { before: begunAt, names: ELECTING, signal })
  }
  return { ...plane, desired: 'running' }
}

/**
 * Says what a resume of a plane would do.
 *
 * @throws {VplaneError} `CONTROL_PLANE_NOT_FOUND`.
 */
export async function previewResume(
  deps: Pick<SnapshotDependencies, 'drivers' | 'ui'>,
  selector: PlaneSelector,
): Promise<string[]> {
  const { driver, plane } = await resolvePlane(deps, selector)
  return reportPlan(deps.ui, await resumeSteps(driver, plane))
}

/** One instance alone leads without a Lease. */
function hasElections({ desired, spec }: Plane): boolean {
  const { controllerManager, scheduler } = spec.host ?? {}
  return (
    desired === 'paused' &&
    [controllerManager, scheduler].some((workload) => (workload?.replicas ?? 1) > 1)
  )
}
