import { VplaneError } from '../../../shared/errors.ts'
import type { PlanStep } from '../../../shared/plan-step.ts'
import type { Driver } from '../../driver/driver.ts'
import type { Plane, ServingName } from '../../plane/plane.ts'
import type { PodVolume } from '../../driver/plane-pods.ts'
import { unfinishedError } from '../../operations/unfinished.ts'
import type { PlaneBundle, SnapshotSource } from '../../driver/snapshot.ts'
import { ownStoreOf, refuseWithout } from '../../store/store.ts'
import type { AccessDependencies } from '../access/access.ts'
import { agreeTo, type Consent } from '../change/agree-to.ts'
import {
  type SnapshotDependencies,
  takeSnapshotFirst,
  type TakenSnapshot,
} from '../snapshot/create-snapshot.ts'
import { foreignLines, refuseUnreadable } from './foreign-data.ts'
import { refuseOnHost } from './refuse-on-host.ts'
import type { PlaneSelector } from '../find/find-planes.ts'
import { namesOfVolumes, refuseLostVolumes } from '../snapshot/lost-volumes.ts'
import { putData } from './put-data.ts'
import { resolvePlane } from '../find/resolve-plane.ts'

export type RestoreDependencies = AccessDependencies & SnapshotDependencies

export interface RestoreOptions extends PlaneSelector, Consent {
  source: SnapshotSource
  /** Replace the current data of the plane. */
  force: boolean
  /** Continue although data on volumes of pods is lost. @default false */
  withoutVolumes?: boolean
  /** Continue although Secrets in the data cannot be read with the keys of the plane. @default false */
  withoutSecrets?: boolean
  /** Take no snapshot of the current data. @default false */
  withoutSnapshot?: boolean
  /** Image with Node.js that receives the snapshot in a host cluster. @default the one in the spec of the plane */
  helperImage?: string | undefined
  timeoutMs: number
  signal: AbortSignal
}

export interface RestoreResult {
  plane: Plane
  /** The previous data; undefined when its store does not run, or the user wants no snapshot. */
  former?: TakenSnapshot
  steps: PlanStep[]
  /** False in a dry run. */
  isRestored: boolean
}

/**
 * Replaces the data of a plane by that of a snapshot, and waits until the plane can be used again. Takes a snapshot of
 * the current data first, if its store runs.
 * @throws {VplaneError} `CONTROL_PLANE_NOT_FOUND`, `FAILED` when it is being moved here, `USAGE` without `force`, or
 * when volumes would be lost or Secrets could not be read, `CONFLICT` for the bundle of a plane with other keys, `UNSUPPORTED`
 * when its store cannot be restored.
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
  refuseWithout(plane, 'restores')
  refuseOnHost(source, plane)
  refuseHelperImage(driver, helperImage)
  const snapshots = await deps.openSnapshots()
  const keys = await driver.keys(plane, signal)
  if (source.bundle !== undefined) {
    refuseOtherKeys(plane, { keys, source: source.bundle })
  }
  refuseUnreadable(source, plane, { keys, withoutSecrets })
  if (!force) {
    throw new VplaneError('USAGE', `"${plane.name}" already exists; its data would be replaced`, {
      hints: [{ force: true }],
    })
  }
  const volumes = await driver.pods.volumes(plane)
  refuseLostVolumes(plane.name, lostVolumes(source, volumes), withoutVolumes)
  if (volumes.length > 0) {
    ui.note(`The volumes of its pods stay unchanged: ${namesOfVolumes(volumes)}`)
  }
  const isSaved = !withoutSnapshot && (await driver.isRunning(plane, [servedBy(plane)]))
  const steps: PlanStep[] = [
    ...(isSaved ? [{ action: 'take-snapshot' } as const] : []),
    { action: 'stop-components' },
    { action: 'load-data', source: source.what },
    { action: 'start-components' },
  ]
  const proposal = {
    lines: [
      ...foreignLines(source, plane),
      ...(isSaved ? [] : [unsavedLine(plane, withoutSnapshot)]),
    ],
    steps,
    question: `Replace everything in "${plane.name}" by ${source.what}?`,
    refusal: `"${plane.name}" was left unchanged`,
  }
  if (!(await agreeTo(ui, { ...proposal, isConfirmed, isDryRun }))) {
    return { plane, steps, isRestored: false }
  }
  await driver.tools?.ensure({ ...plane, forRestore: true }, { ui, signal, timeoutMs })
  const purpose = 'to restore without one, and keep the current data beside the new data'
  const former = isSaved
    ? await takeSnapshotFirst(
        { now, snapshots, ui },
        { driver, plane, place: snapshots.local, signal },
        { consequence: 'it was not restored', hint: { purpose, noSnapshot: true } },
      )
    : undefined
  const data = { source, revision: former?.revision ?? 0, keepFormer: former === undefined }
  const request = { driver, plane, ...data, helperImage, timeoutMs, signal }
  const restored = await putData(deps, request)
  const done = { plane: restored, steps, isRestored: true }
  return { ...done, ...(former === undefined ? {} : { former }) }
}

/** The volumes in the data that do not exist on the host any more. */
function lostVolumes({ volumes = [] }: SnapshotSource, existing: readonly PodVolume[]) {
  const uids = new Set(existing.map(({ uid }) => uid))
  return volumes.filter(({ uid }) => !uids.has(uid))
}

/** With data, it would start while the plane that is moved here may still run. */
function refuseArrival(plane: Plane): void {
  if (plane.movingFrom !== undefined) {
    throw unfinishedError(plane, { kind: 'arrival' })
  }
}

function refuseHelperImage({ name }: Driver, helperImage: string | undefined): void {
  if (name === 'local' && helperImage !== undefined) {
    throw new VplaneError('USAGE', 'planes of the driver "local" need no helper image', {
      hints: [{ helperImage: false }],
    })
  }
}

/**
 * The component without which no snapshot can be taken, or is complete. An interrupted restore has stopped its store, or
 * started it with new data, perhaps just now: it is ready and has changes of clients once kube-apiserver runs.
 */
function servedBy({ restoring, spec }: Plane): ServingName {
  const store = restoring === undefined ? ownStoreOf(spec) : undefined
  return store ?? 'kube-apiserver'
}

function unsavedLine(plane: Plane, isWanted: boolean): string {
  const why = isWanted ? 'is taken' : `can be taken, as its ${servedBy(plane)} does not run`
  return `No snapshot of "${plane.name}" ${why}; its current data is kept beside the new data.`
}

/** Secrets and tokens in the data are only valid with the keys of their own plane. */
function refuseOtherKeys(
  { name }: Plane,
  { keys, source }: { keys: Record<string, string>; source: PlaneBundle },
): void {
  const others = Object.keys(source.keys).filter((file) => source.keys[file] !== keys[file])
  if (others.length > 0) {
    const message = `"${name}" does not have the keys of the plane in the bundle`
    throw new VplaneError('CONFLICT', message, {
      hints: [
        {
          purpose: 'to create another plane from it',
          action: 'restore',
          from: 'BUNDLE',
          name: 'NAME',
        },
      ],
    })
  }
}
