import { wasReady } from '../../api/readiness.ts'
import { messageOf } from '../../../shared/errors.ts'
import type { PlanStep } from '../../../shared/plan-step.ts'
import type { Driver } from '../../driver/driver.ts'
import type { Plane } from '../../plane/plane.ts'
import { refusePause } from '../../plane/refuse-pause.ts'
import { isAsleep } from '../../plane/recorded-plane.ts'
import { ownStoreOf } from '../../store/store.ts'
import { waitForAccess } from '../access/access.ts'
import { deleteOldLeases } from '../../api/delete-old-leases.ts'
import {
  type SnapshotDependencies,
  takeSnapshotFirst,
  type TakenSnapshot,
} from '../snapshot/create-snapshot.ts'
import type { ChangeDependencies } from '../change/change-control-plane.ts'
import { pauseSteps, resumeSteps, reportPlan } from '../change/dry-run.ts'
import { changeDeclared, type DeclaredChange, operatorsOf } from '../change/change-declared.ts'
import { syncSteps } from '../change/sync-steps.ts'
import type { PlaneSelector } from '../find/find-planes.ts'
import { resolvePlane } from '../find/resolve-plane.ts'

/** The components that elect a leader, by the names of their Leases: a pause stops all of their instances. */
const ELECTING = ['kube-controller-manager', 'kube-scheduler'] as const

/** How long an operator may take to pause or start a plane, in milliseconds. */
const DECLARED_MS = 300_000

/** Of the pauses of a plane. */
const RETAINED_SNAPSHOTS = 3

export interface PauseOptions extends PlaneSelector {
  /** @default false */
  withoutSnapshot?: boolean
  /** @default false */
  isDryRun?: boolean
  signal: AbortSignal
}

export interface PausedPlane {
  plane: Plane
  /** Its data before the pause; undefined when it is ephemeral, was paused already, its etcd does not run, or its store is another. */
  snapshot?: TakenSnapshot
  /** What would be done; only in a dry run. */
  steps?: PlanStep[]
}

/**
 * Takes a snapshot of a plane and stops its components, but keeps its data and contexts; a paused plane stays paused.
 * @throws {VplaneError} `CONTROL_PLANE_NOT_FOUND`, as `refusePause`, and as `createSnapshot` when vplane cannot take the snapshot.
 */
export async function pauseControlPlane(
  {
    accesses,
    drivers,
    ...deps
  }: SnapshotDependencies & Pick<ChangeDependencies, 'accesses' | 'openOperators'>,
  { isDryRun = false, signal, withoutSnapshot = false, ...selector }: PauseOptions,
): Promise<PausedPlane> {
  const { ui } = deps
  const { driver, plane } = await resolvePlane({ drivers, ui }, selector)
  refusePause(plane)
  const withSnapshot = !withoutSnapshot && (await isWorthSnapshot(driver, plane))
  if (isDryRun) {
    return { plane, steps: reportPlan(ui, await pauseSteps(driver, plane, { withSnapshot })) }
  }
  const snapshot = withSnapshot ? await snapshotBefore(deps, { driver, plane, signal }) : undefined
  const openOperators = operatorsOf(deps, plane)
  await (openOperators === undefined
    ? driver.pause(plane, { ui, signal })
    : changeDeclared({ ui, openOperators }, declaredPause({ driver, plane, signal }, true)))
  if (snapshot !== undefined) {
    await pruneSnapshots(deps, snapshot, { plane, signal })
  }
  if (driver.name === 'kubernetes') {
    // A tunnel still answers: without a cached credential the plugin checks the plane, and starts it.
    await accesses.remove(plane)
  }
  const { idleSince: _, ...paused } = plane
  return {
    plane: { ...paused, desired: 'paused' },
    ...(snapshot === undefined ? {} : { snapshot }),
  }
}

/** A change of `paused` in the ControlPlane of a plane. */
function declaredPause(
  target: Pick<DeclaredChange, 'driver' | 'plane' | 'signal'>,
  value: true | undefined,
): DeclaredChange {
  return { ...target, fields: [{ path: ['paused'], value }], timeoutMs: DECLARED_MS }
}

/**
 * Without a running etcd no snapshot can be taken, and none is needed: a pause does not touch the data on disk. Another
 * store would have to read all of its keys.
 */
async function isWorthSnapshot(driver: Driver, plane: Plane): Promise<boolean> {
  const isWorthIt =
    plane.desired === 'running' && !plane.spec.ephemeral && ownStoreOf(plane.spec) === 'etcd'
  return isWorthIt && (await driver.isRunning(plane, ['etcd']))
}

async function snapshotBefore(
  { now, openSnapshots, ui }: Omit<SnapshotDependencies, 'drivers'>,
  target: { driver: Driver; plane: Plane; signal: AbortSignal },
): Promise<TakenSnapshot> {
  const { plane } = target
  const snapshots = await openSnapshots()
  return takeSnapshotFirst(
    { now, snapshots, ui },
    { ...target, place: snapshots.local, reason: 'pause' },
    {
      consequence: 'it was not paused',
      hint: { purpose: 'to pause without one', action: 'pause', plane, noSnapshot: true },
    },
  )
}

/** Deletes old snapshots that pauses of this plane took; vplane does not delete any others. */
async function pruneSnapshots(
  { openSnapshots, ui }: Pick<SnapshotDependencies, 'openSnapshots' | 'ui'>,
  newest: TakenSnapshot,
  { plane, signal }: { plane: Plane; signal: AbortSignal },
): Promise<void> {
  try {
    const { local } = await openSnapshots()
    const stored = await local.list(signal, plane.name)
    // After a change of the clock, the newest snapshot may not be the last one of the list.
    const before = stored.filter(({ id, pauseOf }) => pauseOf === plane.id && id !== newest.id)
    for (const { id } of before.slice(0, 1 - RETAINED_SNAPSHOTS)) {
      await local.delete(id, signal)
    }
  } catch (error) {
    signal.throwIfAborted()
    ui.warn(`old snapshots of "${plane.name}" cannot be deleted: ${messageOf(error)}`)
  }
}

/**
 * Starts a plane's components and waits until it can be used; a running plane keeps running. After a pause, components
 * that elect a leader do not wait for the Lease of the previous one.
 * @throws {VplaneError} `CONTROL_PLANE_NOT_FOUND`, and what `waitUntilReady` throws.
 */
export async function resumeControlPlane(
  { drivers, ...deps }: ChangeDependencies,
  { signal, timeoutMs, ...selector }: PlaneSelector & { timeoutMs: number; signal: AbortSignal },
): Promise<Plane> {
  const { ui } = deps
  const { driver, plane } = await resolvePlane({ drivers, ui }, selector)
  const begunAt = deps.now()
  const isLeaderless = hasElections(plane) && !(await driver.isRunning(plane, [ELECTING[0]]))
  const steps = syncSteps(deps, { driver, signal, timeoutMs })
  const openOperators = operatorsOf(deps, plane)
  // The ControlPlane of a plane that has paused itself does not say so.
  await (openOperators === undefined || isAsleep(plane)
    ? driver.start(plane, { ui, signal, timeoutMs, steps })
    : changeDeclared({ ui, openOperators }, declaredPause({ driver, plane, signal }, undefined)))
  const isRestart = wasReady(plane)
  const access = await waitForAccess(deps, { driver, plane, isRestart, timeoutMs, signal })
  if (isLeaderless) {
    await using api = deps.openApi(access)
    await deleteOldLeases(api, { before: begunAt, names: ELECTING, signal })
  }
  return { ...plane, desired: 'running' }
}

/** Shows the steps of a resume. @throws {VplaneError} `CONTROL_PLANE_NOT_FOUND`. */
export async function previewResume(
  deps: Pick<SnapshotDependencies, 'drivers' | 'ui'>,
  selector: PlaneSelector,
): Promise<PlanStep[]> {
  const { driver, plane } = await resolvePlane(deps, selector)
  return reportPlan(deps.ui, await resumeSteps(driver, plane))
}

/** A single instance leads without a Lease. */
function hasElections({ desired, spec }: Plane): boolean {
  const { controllerManager, scheduler } = spec.host ?? {}
  return (
    desired === 'paused' &&
    [controllerManager, scheduler].some((workload) => (workload?.replicas ?? 1) > 1)
  )
}
