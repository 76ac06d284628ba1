import { isDeepStrictEqual } from 'node:util'
import type { Driver } from '../control-plane/driver/driver.ts'
import type { Plane } from '../control-plane/plane/plane.ts'
import { isReadable } from '../control-plane/plane/unreadable-plane.ts'
import { changeControlPlane } from '../control-plane/use-cases/change/change-control-plane.ts'
import { createControlPlane } from '../control-plane/use-cases/create/create-control-plane.ts'
import {
  deleteControlPlane,
  type DeleteDependencies,
} from '../control-plane/use-cases/stop/delete-control-plane.ts'
import type { ChangeDependencies } from '../control-plane/use-cases/change/change-control-plane.ts'
import type { KubeClient } from '../kube/client/client.ts'
import { unlessChanged } from '../kube/cache/object-cache.ts'
import { messageOf, VplaneError } from '../shared/errors.ts'
import { recordAt, textsAt } from '../shared/json-fields.ts'
import { isLeaving, type KubeObject } from '../shared/kube/kube-object.ts'
import { controlPlanePath, FINALIZER, specOf } from './control-plane-resource.ts'
import { type Observation, toResourceStatus } from './to-status.ts'

export interface ReconcileDependencies extends ChangeDependencies, Omit<DeleteDependencies, 'ui'> {
  /** Runs the planes of the operator. */
  driver: Driver
  host: Pick<KubeClient, 'patch' | 'replace'>
  /** How long each part of a change may take, in milliseconds. */
  timeoutMs: number
}

/**
 * Makes the plane of a ControlPlane as that says, with the steps of the commands, and shows in its status what the plane
 * is. Does the next step from what is there, so that it may end anywhere and run again.
 */
export async function reconcileControlPlane(
  deps: ReconcileDependencies,
  resource: KubeObject,
  signal: AbortSignal,
): Promise<void> {
  if (isLeaving(resource)) {
    return finish(deps, resource, signal)
  }
  if (!hasFinalizer(resource)) {
    const finalizers = [...finalizersOf(resource), FINALIZER]
    await putFinalizers(deps, resource, { finalizers, signal })
    // The watch leads to the next try.
    return
  }
  const observation = await observe(deps, resource, signal)
  await showStatus(deps, { resource, observation }, signal)
}

async function observe(
  deps: ReconcileDependencies,
  resource: KubeObject,
  signal: AbortSignal,
): Promise<Observation> {
  try {
    const plane = await ensurePlane(deps, resource, signal)
    return { plane, status: await deps.driver.status(plane) }
  } catch (error) {
    signal.throwIfAborted()
    const plane = isOwned(resource)
      ? await findOwn(deps, resource, signal).catch(() => undefined)
      : undefined
    const reason = error instanceof VplaneError ? toReason(error.code) : 'Failed'
    return { plane, failure: { reason, message: messageOf(error) } }
  }
}

/** Creates the plane, or changes it to what the ControlPlane says now. */
async function ensurePlane(
  deps: ReconcileDependencies,
  resource: KubeObject,
  signal: AbortSignal,
): Promise<Plane> {
  const { driver, timeoutMs } = deps
  const { name = '', namespace } = resource.metadata
  const userSpec = specOf(resource)
  const place = driver.name === 'kubernetes' ? { namespace } : {}
  const known = await findOwn(deps, resource, signal)
  if (known === undefined || !isOwned(resource)) {
    // Of a plane that exists already, it takes only one with the same spec.
    const host = { ...place, createNamespace: false }
    const request = { name, userSpec, driver, host, wait: false, timeoutMs, signal }
    return (await createControlPlane(deps, request)).plane
  }
  const options = { name, driver: driver.name, ...place, isConfirmed: true, timeoutMs, signal }
  const { plane } = await changeControlPlane(deps, () => userSpec, options)
  return plane
}

async function findOwn(
  { driver }: ReconcileDependencies,
  { metadata: { name = '', namespace } }: KubeObject,
  signal: AbortSignal,
): Promise<Plane | undefined> {
  const scope = driver.name === 'kubernetes' ? { namespace, signal } : { signal }
  const [found] = await driver.find(name, scope)
  return found !== undefined && isReadable(found) ? found : undefined
}

/** Deletes the plane of a ControlPlane that is being deleted, which may go then. */
async function finish(
  deps: ReconcileDependencies,
  resource: KubeObject,
  signal: AbortSignal,
): Promise<void> {
  if (!hasFinalizer(resource)) {
    return
  }
  const { name = '', namespace } = resource.metadata
  const place = deps.driver.name === 'kubernetes' ? { namespace } : {}
  const found = await deps.driver.find(name, { ...place, signal })
  if (isOwned(resource) && found.length > 0) {
    const options = { name, driver: deps.driver.name, ...place, isConfirmed: true, signal }
    await deleteControlPlane(deps, options)
  }
  const finalizers = finalizersOf(resource).filter((one) => one !== FINALIZER)
  await putFinalizers(deps, resource, { finalizers, signal })
}

/** Whether the plane of this name is that of the ControlPlane: its status shows its spec. */
function isOwned(resource: KubeObject): boolean {
  return recordAt(resource, 'status', 'resolved') !== undefined
}

function hasFinalizer(resource: KubeObject): boolean {
  return finalizersOf(resource).includes(FINALIZER)
}

function finalizersOf({ metadata }: KubeObject): string[] {
  return textsAt(metadata, 'finalizers')
}

async function putFinalizers(
  { host }: ReconcileDependencies,
  { metadata }: KubeObject,
  { finalizers, signal }: { finalizers: string[]; signal: AbortSignal },
): Promise<void> {
  const { resourceVersion } = metadata
  const patch = { metadata: { finalizers, resourceVersion } }
  await unlessChanged(host.patch(controlPlanePath(metadata), patch, { type: 'merge', signal }))
}

async function showStatus(
  { host, now }: ReconcileDependencies,
  { observation, resource }: { resource: KubeObject; observation: Observation },
  signal: AbortSignal,
): Promise<void> {
  const status = toResourceStatus(resource, observation, now())
  if (!isDeepStrictEqual(JSON.parse(JSON.stringify(status)), resource['status'])) {
    const path = `${controlPlanePath(resource.metadata)}/status`
    await unlessChanged(host.replace(path, { ...resource, status }, { signal }))
  }
}

/** `INVALID_SPEC` as conditions write it: `InvalidSpec`. */
function toReason(code: string): string {
  return code
    .toLowerCase()
    .split('_')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')
}
