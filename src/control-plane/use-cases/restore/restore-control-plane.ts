import { VplaneError } from '../../../shared/errors.ts'
import type { Driver } from '../../driver/driver.ts'
import type { Plane } from '../../plane/plane.ts'
import type { PodVolume } from '../../driver/plane-pods.ts'
import { refuseHalfRestored } from '../../plane/refuse-half-restored.ts'
import type { PlaneBundle, SnapshotSource, Snapshots } from '../../driver/snapshot.ts'
import type { AccessDependencies } from '../access/access.ts'
import { agreeTo } from '../change/agree-to.ts'
import { takeSnapshot, type TakenSnapshot } from '../snapshot/create-snapshot.ts'
import { stepLines } from '../change/dry-run.ts'
import { foreignLines, refuseUnreadable } from './foreign-data.ts'
import type { PlaneSelector } from '../find/find-planes.ts'
import { namesOfVolumes, refuseLostVolumes } from '../snapshot/lost-volumes.ts'
import { putData } from './put-data.ts'
import { resolvePlane } from '../find/resolve-plane.ts'

export interface RestoreDependencies extends AccessDependencies {
  drivers: readonly Driver[]
  /** Loaded when a command has to do with snapshots. */
  openSnapshots: () => Promise<Snapshots>
}

export interface RestoreOptions extends PlaneSelector {
  source: SnapshotSource
  /** Lose what the plane has now. */
  force: boolean
  /** Go on though what lay on volumes of pods is gone. @default false */
  withoutVolumes?: boolean
  /** Go on though Secrets in the data cannot be read with the keys of the plane. @default false */
  withoutSecrets?: boolean
  /** Take no snapshot of what the plane has now. @default false */
  withoutSnapshot?: boolean
  /** Image with Node.js that takes the snapshot in a host cluster. @default what the spec of the plane says */
  helperImage?: string | undefined
  /** Do not ask. */
  isConfirmed: boolean
  /** Say what would be done, and do nothing. @default false */
  isDryRun?: boolean
  timeoutMs: number
  signal: AbortSignal
}

export interface RestoreResult {
  plane: Plane
  /** What the plane had before; undefined when its etcd does not run, or nobody wants a snapshot. */
  former?: TakenSnapshot
  /** What is done, in its order. */
  steps: string[]
  /** False when it was only to be said. */
  isRestored: boolean
}

/**
 * Puts the data of a snapshot in the place of what a plane has, after a snapshot of that where its etcd runs, and waits
 * until the plane can be used again.
 *
 * @throws {VplaneError} `CONTROL_PLANE_NOT_FOUND`, `FAILED` when it is being moved here, `USAGE` without `force`, when what
 * lay on volumes of its pods is gone, and when Secrets in it could not be read, `ABORTED` after a no, `CONFLICT` when it is
 * the bundle of a plane with other keys, and what `createSnapshot`, the driver and `waitUntilReady` throw.
 */
export async function restoreControlPlane(
  deps: RestoreDependencies,
  {
    force,
    helperImage,
    isConfirmed,
    isDryRun = false,
    signal,
    source,
    timeoutMs,
    withoutSecrets = false,
    withoutSnapshot = false,
    withoutVolumes = false,
    ...selector
  }: RestoreOptions,
): Promise<RestoreResult> {
  const { now, ui } = deps
  const { driver, plane } = await resolvePlane(deps, selector)
  refuseArrival(plane)
  refuseHelperImage(driver, helperImage)
  const snapshots = await deps.openSnapshots()
  const keys = await driver.keys(plane, signal)
  if (source.bundle !== undefined) {
    refuseOtherKeys(plane, { keys, source: source.bundle })
  }
  refuseUnreadable(source, plane, { keys, withoutSecrets })
  if (!force) {
    throw new VplaneError('USAGE', `"${plane.name}" is there, and would lose what it has`, {
      hints: [{ force: true }],
    })
  }
  const kept = await driver.pods.volumes(plane)
  refuseLostVolumes(plane.name, lostVolumes(source, kept), withoutVolumes)
  if (kept.length > 0) {
    ui.note(`The volumes of its pods stay as they are now: ${namesOfVolumes(kept)}`)
  }
  const isSaved = !withoutSnapshot && (await driver.isRunning(plane, ['etcd']))
  const steps = [
    ...(isSaved ? ['take a snapshot of what it has now, and keep it on this machine'] : []),
    'stop its components',
    `make its data of ${source.what}, with revisions above all that were`,
    'start its components',
  ]
  const isAgreed = await agreeTo(ui, {
    lines: [
      ...foreignLines(source, plane),
      ...(isSaved ? [] : [unsavedLine(plane, withoutSnapshot)]),
      ...stepLines(steps),
    ],
    question: `Replace everything in "${plane.name}" by ${source.what}?`,
    refusal: `"${plane.name}" was left as it is`,
    isConfirmed,
    isDryRun,
  })
  if (!isAgreed) {
    return { plane, steps, isRestored: false }
  }
  const former = isSaved
    ? await takeFormer({ now, snapshots, ui }, { driver, plane, signal })
    : undefined
  const restored = await putData(deps, {
    driver,
    plane,
    source,
    revision: former?.revision ?? 0,
    keepFormer: former === undefined,
    helperImage,
    timeoutMs,
    signal,
  })
  const done = { plane: restored, steps, isRestored: true }
  return { ...done, ...(former === undefined ? {} : { former }) }
}

/** Those that the data knows and the host has no more: the volumes of the others are where they were. */
function lostVolumes({ volumes = [] }: SnapshotSource, kept: readonly PodVolume[]): PodVolume[] {
  const there = new Set(kept.map(({ uid }) => uid))
  return volumes.filter(({ uid }) => !there.has(uid))
}

/** It would begin to live while the plane that it comes from may go on. */
function refuseArrival({ movingFrom, name }: Plane): void {
  if (movingFrom !== undefined) {
    refuseHalfRestored({ name, restoring: { movingFrom } })
  }
}

function refuseHelperImage({ name }: Driver, helperImage: string | undefined): void {
  if (name === 'local' && helperImage !== undefined) {
    throw new VplaneError('USAGE', 'planes of the driver "local" need no helper image', {
      hints: [{ helperImage: false }],
    })
  }
}

/** What becomes of the data of a plane that is restored without a snapshot: the driver keeps what there is. */
function unsavedLine({ name }: Plane, isWanted: boolean): string {
  const why = isWanted ? 'is taken' : 'can be taken, as its etcd does not run'
  return `No snapshot of what "${name}" has now ${why}; its data stays beside the new one.`
}

async function takeFormer(
  deps: Parameters<typeof takeSnapshot>[0],
  target: { driver: Driver; plane: Plane; signal: AbortSignal },
): Promise<TakenSnapshot> {
  const { plane, signal } = target
  try {
    return await takeSnapshot(deps, { ...target, place: deps.snapshots.kept })
  } catch (error) {
    signal.throwIfAborted()
    throw error instanceof VplaneError ? withNextStep(error, plane) : error
  }
}

function withNextStep({ cause, code, message }: VplaneError, { name }: Plane): VplaneError {
  return new VplaneError(
    code,
    `no snapshot of what "${name}" has now, so it was left as it is: ${message}`,
    {
      hints: [
        { purpose: 'without one, with what it has now beside the new data', noSnapshot: true },
      ],
      cause,
    },
  )
}

/** Secrets and tokens in the data are good with the keys of its own plane alone. */
function refuseOtherKeys(
  { name }: Plane,
  { keys, source }: { keys: Record<string, string>; source: PlaneBundle },
): void {
  const others = Object.keys(source.keys).filter((file) => source.keys[file] !== keys[file])
  if (others.length > 0) {
    throw new VplaneError('CONFLICT', `"${name}" has other keys than the plane of the bundle`, {
      hints: [
        {
          purpose: 'make a plane of its own of it',
          action: 'restore',
          from: 'BUNDLE',
          name: 'NAME',
        },
      ],
    })
  }
}
