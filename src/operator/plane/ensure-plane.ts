import { isDeepStrictEqual } from 'node:util'
import { changedSpec } from '../../control-plane/changes/changed-spec.ts'
import { isCreated, isOutdated, type Plane } from '../../control-plane/plane/plane.ts'
import { isAsleep } from '../../control-plane/plane/recorded-plane.ts'
import type { UserSpec } from '../../control-plane/spec/spec.ts'
import { changeControlPlane } from '../../control-plane/use-cases/change/change-control-plane.ts'
import { createControlPlane } from '../../control-plane/use-cases/create/create-control-plane.ts'
import type { PlaneSelector } from '../../control-plane/use-cases/find/find-planes.ts'
import type { RestoreDependencies } from '../../control-plane/use-cases/restore/restore-control-plane.ts'
import {
  pauseControlPlane,
  resumeControlPlane,
} from '../../control-plane/use-cases/stop/pause-control-plane.ts'
import { upgradeControlPlane } from '../../control-plane/use-cases/upgrade/upgrade-control-plane.ts'
import type { Snapshots } from '../../control-plane/driver/snapshot.ts'
import type { KeeperEvent } from '../../keeper/duties/duty.ts'
import type { Driver } from '../../control-plane/driver/driver.ts'
import { fieldAt } from '../../shared/json-fields.ts'
import type { KubeObject } from '../../shared/kube/kube-object.ts'
import { isPausedIn, specOf } from '../resource/control-plane-resource.ts'
import { announced, type BackupPlace } from '../duties/plane-snapshots.ts'

export interface EnsureDependencies extends Omit<RestoreDependencies, 'openSnapshots'> {
  /** Runs the planes of the operator. */
  driver: Driver
  /** How long each part of a change may take, in milliseconds. */
  timeoutMs: number
  /** Opens the snapshots of a plane; `local` is where the operator stores them. */
  snapshotsOf: (place: BackupPlace, signal: AbortSignal) => Promise<Snapshots>
  /** Tells about the plane of a ControlPlane. */
  reportOn: (plane: {
    name: string
    namespace?: string | undefined
  }) => (event: KeeperEvent) => void
}

export interface EnsureRequest {
  resource: KubeObject
  selector: PlaneSelector
  /** The plane of the ControlPlane. @default there is none yet */
  plane: Plane | undefined
  signal: AbortSignal
}

/**
 * Makes the plane of a ControlPlane as that says, with the steps of the commands.
 * @throws {VplaneError} `INVALID_SPEC`, and what the use cases throw.
 */
export async function ensurePlane(
  deps: EnsureDependencies,
  { plane, resource, selector, signal }: EnsureRequest,
): Promise<Plane> {
  const { driver, timeoutMs } = deps
  const { name, namespace } = selector
  const userSpec = specOf(resource)
  const { uid: declaredBy = '' } = resource.metadata
  const options = { ...selector, isConfirmed: true, timeoutMs, signal }
  if (plane === undefined) {
    const host = { namespace, createNamespace: false }
    const startsInOrder = fieldAt(resource, 'spec', 'startsInOrder') === true
    const isPaused = isPausedIn(resource)
    const request = { name, userSpec, driver, declaredBy, startsInOrder, isPaused, host }
    return (await createControlPlane(deps, { ...request, wait: false, timeoutMs, signal })).plane
  }
  const made = await finishCreation(deps, { plane, selector, signal })
  const openSnapshots = () => snapshotsOf(deps, { plane: made, userSpec }, signal)
  await upgrade({ ...deps, openSnapshots }, { plane: made, userSpec, options })
  // Another version of vplane replaces pods only with a change of the spec.
  const { plane: changed } = isLeft(made, userSpec)
    ? { plane: made }
    : await changeControlPlane(deps, () => userSpec, options)
  // One that sleeps is paused, too, so that nothing wakes it.
  if (isPausedIn(resource) && (changed.desired === 'running' || isAsleep(changed))) {
    const withoutSnapshot = { ...options, withoutSnapshot: true }
    return (await pauseControlPlane({ ...deps, openSnapshots }, withoutSnapshot)).plane
  }
  // A plane that paused itself starts when it is used.
  const isResumed = changed.desired === 'paused' && changed.idleSince === undefined
  return isResumed && !isPausedIn(resource) ? resumeControlPlane(deps, options) : changed
}

/** Continues the creation of a plane that was paused from the beginning: other operations would start it. */
async function finishCreation(
  { driver, timeoutMs, ui }: EnsureDependencies,
  {
    plane,
    selector: { namespace },
    signal,
  }: Pick<EnsureRequest, 'selector' | 'signal'> & { plane: Plane },
): Promise<Plane> {
  const isMade = isCreated(plane)
  if (isMade || plane.desired === 'running') {
    return plane
  }
  const { name, spec, userSpec } = plane
  const request = { name, spec, userSpec, host: { namespace }, wait: false }
  return driver.create(request, { ui, signal, timeoutMs })
}

function isLeft(plane: Plane, userSpec: UserSpec): boolean {
  const isSame = isDeepStrictEqual(changedSpec(plane, userSpec).userSpec, plane.userSpec)
  return isSame && isOutdated(plane) && plane.unfinished === undefined
}

async function snapshotsOf(
  { reportOn, ...deps }: EnsureDependencies,
  { plane, userSpec }: { plane: Plane; userSpec: UserSpec },
  signal: AbortSignal,
): Promise<Snapshots> {
  const { namespace } = plane
  const { backup = {} } = userSpec
  const snapshots = await deps.snapshotsOf({ namespace, backup }, signal)
  return announced(snapshots, backup, reportOn(plane))
}

async function upgrade(
  deps: RestoreDependencies,
  {
    options,
    plane,
    userSpec: { version },
  }: {
    plane: Plane
    userSpec: UserSpec
    options: Parameters<typeof upgradeControlPlane>[2]
  },
): Promise<void> {
  if (version !== undefined && version !== plane.userSpec.version) {
    await upgradeControlPlane(deps, { version }, options)
  }
}
