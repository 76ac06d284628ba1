import { isDeepStrictEqual } from 'node:util'
import type { Driver } from '../control-plane/driver/driver.ts'
import type { Plane } from '../control-plane/plane/plane.ts'
import { isReadable } from '../control-plane/plane/unreadable-plane.ts'
import { changeControlPlane } from '../control-plane/use-cases/change/change-control-plane.ts'
import type { PlaneSelector } from '../control-plane/use-cases/find/find-planes.ts'
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
import { objectPath } from '../shared/kube/collections.ts'
import { isLeaving, type KubeObject } from '../shared/kube/kube-object.ts'
import { FINALIZER, specOf } from './control-plane-resource.ts'
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
  const { name, namespace } = selectorOf(deps, resource)
  const userSpec = specOf(resource)
  if (!isOwned(resource) || (await findOwn(deps, resource, signal)) === undefined) {
    // Of a plane that exists already, it takes only one with the same spec.
    const host = { namespace, createNamespace: false }
    const request = { name, userSpec, driver, host, wait: false, timeoutMs, signal }
    return (await createControlPlane(deps, request)).plane
  }
  const options = { ...selectorOf(deps, resource), isConfirmed: true, timeoutMs, signal }
  const { plane } = await changeControlPlane(deps, () => userSpec, options)
  return plane
}

async function findOwn(
  deps: ReconcileDependencies,
  resource: KubeObject,
  signal: AbortSignal,
): Promise<Plane | undefined> {
  const { name, namespace } = selectorOf(deps, resource)
  const [found] = await deps.driver.find(name, { namespace, signal })
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
  const selector = selectorOf(deps, resource)
  const { name, namespace } = selector
  const isThere = async () => (await deps.driver.find(name, { namespace, signal })).length > 0
  if (isOwned(resource) && (await isThere())) {
    await deleteControlPlane(deps, { ...selector, isConfirmed: true, signal })
  }
  const finalizers = finalizersOf(resource).filter((one) => one !== FINALIZER)
  await putFinalizers(deps, resource, { finalizers, signal })
}

/** What names the plane of a ControlPlane: only planes in host clusters have namespaces. */
function selectorOf(
  { driver }: ReconcileDependencies,
  { metadata: { name = '', namespace } }: KubeObject,
): PlaneSelector {
  return {
    name,
    driver: driver.name,
    namespace: driver.name === 'kubernetes' ? namespace : undefined,
  }
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
  await unlessChanged(
    host.patch(objectPath('controlplanes', metadata), patch, { type: 'merge', signal }),
  )
}

async function showStatus(
  { host, now }: ReconcileDependencies,
  { observation, resource }: { resource: KubeObject; observation: Observation },
  signal: AbortSignal,
): Promise<void> {
  const status = toResourceStatus(resource, observation, now())
  if (!isDeepStrictEqual(JSON.parse(JSON.stringify(status)), resource['status'])) {
    const path = `${objectPath('controlplanes', resource.metadata)}/status`
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
