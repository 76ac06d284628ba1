import { hintText } from '../cli/catalog/hint-text.ts'
import type { CredentialState } from '../control-plane/driver/plane-credentials.ts'
import type { Driver } from '../control-plane/driver/driver.ts'
import type { Plane } from '../control-plane/plane/plane.ts'
import { isReadable } from '../control-plane/plane/unreadable-plane.ts'
import type { PlanePhase, PlaneStatus } from '../control-plane/status/plane-status.ts'
import type { PlaneSelector } from '../control-plane/use-cases/find/find-planes.ts'
import { unusable } from '../control-plane/use-cases/find/resolve-plane.ts'
import type { KeeperEvent } from '../keeper/duties/duty.ts'
import type { KubeClient } from '../kube/client/client.ts'
import { VplaneError } from '../shared/errors.ts'
import { numberAt } from '../shared/json-fields.ts'
import { isLeaving, type KubeObject } from '../shared/kube/kube-object.ts'
import type { Ui } from '../shared/ui.ts'
import { FINALIZER, hasFinalizer } from './resource/control-plane-resource.ts'
import { type EnsureDependencies, ensurePlane } from './plane/ensure-plane.ts'
import { failureOf } from './resource/failure-of.ts'
import { isSettled, type Settled, settledBefore } from './plane/is-settled.ts'
import { finishPause } from './plane/finish-pause.ts'
import { finishPlane, type FinishDependencies } from './plane/finish-plane.ts'
import { putFinalizers } from './resource/put-finalizers.ts'
import { prepareSyncer } from './plane/prepare-syncer.ts'
import { StatusWriter } from './resource/show-status.ts'
import type { Observation } from './resource/to-status.ts'
import type { Changes } from './seen/plane-objects.ts'

export interface ReconcileDependencies
  extends Omit<EnsureDependencies, 'ui'>, Omit<FinishDependencies, 'ui'> {
  host: Pick<KubeClient, 'get' | 'patch' | 'replace'>
  /** Answers the reads of looks at planes, perhaps some moments late. @default `driver` */
  seen?: Pick<Driver, 'credentials' | 'find' | 'name' | 'status'>
  /** How many changes of the objects of a plane were seen. @default watches do not show all of them */
  changesOf?: (place: { name: string; namespace: string }) => Changes | undefined
}

/** What the operator remembers of a ControlPlane between looks; it may forget it at any time. */
export interface Memory {
  /** What of the ControlPlane was acted on last. */
  wanted?: string
  /** The generation of the spec that its plane has, and when that was compared with the objects on the host. */
  settled?: Settled | undefined
  /** The plane as it was last seen. */
  plane?: Plane | undefined
  /** Its phase then. */
  phase?: PlanePhase | undefined
  /** Its Secrets with credentials, as they were last seen. */
  credentials?: Observation['credentials']
  /** Whether it has served since the operator started: a new plane has nothing to back up yet. */
  hasServed?: boolean
  /** Whether a command works on it, or a Secret of its credentials is not written yet. */
  isWaiting?: boolean | undefined
}

/**
 * Makes the plane of a ControlPlane as that says, with the steps of the commands, and shows in its status what the plane
 * is. Does the next step from what is there, so that it may end anywhere and run again.
 * @throws what prevented the wanted state, after the status shows it.
 */
export async function reconcileControlPlane(
  deps: ReconcileDependencies,
  { memory, resource }: { resource: KubeObject; memory: Memory },
  signal: AbortSignal,
): Promise<void> {
  const selector = selectorOf(deps.driver, resource)
  if (!isLeaving(resource) && !hasFinalizer(resource)) {
    // The watch leads to the next try.
    return putFinalizers(deps, { resource, add: FINALIZER }, signal)
  }
  const writer = new StatusWriter(deps, resource)
  try {
    if (isLeaving(resource)) {
      return await finishPlane(deps, { resource, selector }, signal)
    }
    // What it does not show as settled is read from the host.
    let found = await findOwn(deps.seen ?? deps.driver, resource, signal).catch(() => undefined)
    const { name, namespace = '' } = selector
    const changesNow = () => deps.changesOf?.({ name, namespace })
    const [changes, now] = [changesNow(), deps.now()]
    if (memory.phase === undefined) {
      memory.settled ??= settledBefore(resource, { changes, now })
    }
    const isChanging = !isSettled(memory.settled, {
      plane: found,
      resource,
      changes,
      now,
    })
    if (isChanging) {
      memory.settled = undefined
      found = await findOwn(deps.driver, resource, signal)
    }
    memory.plane = found
    // A plane on which a command works is compared with the spec afterwards.
    if (isChanging && !(await isWorkedOn(deps, found))) {
      if (numberAt(resource, 'status', 'observedGeneration') !== resource.metadata['generation']) {
        await writer.write({ plane: found, work: 'Comparing with the spec' }, signal)
      }
      const warn = warnIn(deps.reportOn(selector))
      const ui = { ...writer.progressUi({ plane: found }, signal), warn }
      const request = { resource, selector, plane: found, signal }
      memory.plane = await ensurePlane({ ...deps, ui }, request)
      memory.settled = { generation: resource.metadata['generation'], at: deps.now(), changes }
    }
    const { plane } = memory
    const reader = isChanging ? deps.driver : (deps.seen ?? deps.driver)
    const wasPaused = memory.phase === 'Paused'
    const status = plane && (await pausedStatus(deps, { plane, reader, writer }, signal))
    memory.phase = status?.phase
    if (plane !== undefined && status !== undefined && status.phase !== 'Ready') {
      await prepareSyncer(deps, { plane, status }, signal)
    }
    memory.hasServed = memory.hasServed === true || memory.phase === 'Ready'
    // Nothing writes those of a plane that stays paused.
    if (isChanging || !wasPaused || memory.phase !== 'Paused') {
      memory.credentials = plane && (await credentialsOf(deps, plane, signal))
    }
    const { credentials } = memory
    memory.isWaiting = memory.settled === undefined || credentials?.some(isToBeWritten)
    await writer.write({ plane, status, credentials }, signal)
    if (isChanging && found === undefined && memory.settled !== undefined) {
      // Of a new plane, watches have told only now.
      memory.settled = { ...memory.settled, changes: changesNow() }
    }
  } catch (error) {
    signal.throwIfAborted()
    const observation = { plane: memory.plane, failure: failureOf(error) }
    await writer.write({ ...observation, ...(await statusOf(deps, memory.plane)) }, signal)
    throw error
  }
}

/** The status of a plane, after an interrupted pause of it has ended. */
async function pausedStatus(
  deps: ReconcileDependencies,
  { plane, reader, writer }: { plane: Plane; reader: Pick<Driver, 'status'>; writer: StatusWriter },
  signal: AbortSignal,
): Promise<PlaneStatus> {
  const status = await reader.status(plane, {})
  const ui = writer.progressUi({ plane }, signal)
  return finishPause({ ...deps, ui }, { plane, status }, signal)
}

/** Events for the warnings of commands, which nobody would see otherwise. */
function warnIn(report: (event: KeeperEvent) => void): Ui['warn'] {
  return (text, hint) => {
    const message = hint === undefined ? text : `${text}; ${hintText(hint)}`
    report({ level: 'warning', reason: 'Warning', message })
  }
}

/** Whether a command, or another part of the operator, changes a plane at the moment. */
async function isWorkedOn(
  { driver }: Pick<ReconcileDependencies, 'driver'>,
  plane: Plane | undefined,
): Promise<boolean> {
  const { operation } = plane === undefined ? {} : await driver.status(plane, {})
  return operation !== undefined && !operation.isInterrupted
}

async function credentialsOf(
  { driver, seen = driver }: Pick<ReconcileDependencies, 'driver' | 'seen'>,
  plane: Plane,
  signal: AbortSignal,
): Promise<NonNullable<Observation['credentials']>> {
  const entries = Object.keys(plane.spec.credentials ?? {})
  return Promise.all(
    entries.map(async (entry) => ({
      entry,
      ...(await seen.credentials?.state(plane, entry, signal)),
    })),
  )
}

/** One that failed is looked at no more often than others: it may never be written. */
function isToBeWritten({ failure, isWritten }: CredentialState): boolean {
  return isWritten !== true && failure === undefined
}

async function statusOf(
  { driver }: Pick<ReconcileDependencies, 'driver'>,
  plane: Plane | undefined,
): Promise<Pick<Observation, 'status'>> {
  const status = plane && (await driver.status(plane, {}).catch(() => undefined))
  return status === undefined ? {} : { status }
}

/**
 * The plane that the ControlPlane declares, if it exists.
 * @throws {VplaneError} `CONTROL_PLANE_EXISTS` when the plane of this name is not that of the ControlPlane.
 */
export async function findOwn(
  driver: Pick<Driver, 'find' | 'name'>,
  resource: KubeObject,
  signal: AbortSignal,
): Promise<Plane | undefined> {
  const { name, namespace } = selectorOf(driver, resource)
  const [found] = await driver.find(name, { namespace, signal })
  if (found === undefined) {
    return undefined
  }
  if (!isReadable(found)) {
    throw unusable(found)
  }
  if (found.declaredBy !== resource.metadata.uid) {
    const message = `a control plane named "${name}" exists that this ControlPlane does not declare`
    throw new VplaneError('CONTROL_PLANE_EXISTS', message, {
      hints: [
        { purpose: 'to let the operator have it', action: 'adopt', plane: { name, namespace } },
      ],
    })
  }
  return found
}

/** What names the plane of a ControlPlane: only planes in host clusters have namespaces. */
function selectorOf(
  driver: Pick<Driver, 'name'>,
  { metadata: { name = '', namespace } }: KubeObject,
): PlaneSelector {
  return {
    name,
    driver: driver.name,
    namespace: driver.name === 'kubernetes' ? namespace : undefined,
  }
}
