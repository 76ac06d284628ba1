import { isDeepStrictEqual } from 'node:util'
import type { KubeClient } from '../../kube/client/client.ts'
import { unlessStatus } from '../../kube/kube-error.ts'
import type { KubeObject } from '../../shared/kube/kube-object.ts'
import { type SyncedResource } from '../scope/resources.ts'
import type { SyncScope } from '../scope/sync-scope.ts'
import { virtualOf } from '../translate/virtual-of.ts'
import { hostChange, withMarks } from './host-change.ts'
import { collectionPath, objectPath } from '../../shared/kube/collections.ts'

export interface HostObjects {
  scope: SyncScope
  host: Pick<KubeClient, 'create' | 'replace' | 'delete'>
  /** What was written last to host objects that stayed as they were: the host itself says the rest. */
  settled: WeakMap<KubeObject, KubeObject>
}

/**
 * Makes a host object.
 *
 * @returns undefined when there is one of that name: made a moment ago, and not known here yet.
 */
export function createHostObject(
  { host, scope }: HostObjects,
  { resource, wanted }: { resource: SyncedResource; wanted: KubeObject },
  signal: AbortSignal,
): Promise<KubeObject | undefined> {
  const collection = collectionPath(resource, scope.host.namespace)
  return unlessStatus([409], host.create(collection, withMarks(wanted), { signal }))
}

export interface HostUpdate {
  resource: SyncedResource
  known: KubeObject
  wanted: KubeObject
  /** Fields of `spec` that stay as the host has them where nothing is wanted of them. */
  hostsOwn?: readonly string[] | undefined
}

/**
 * Makes a host object as it is wanted, where it is not: what somebody has added to it goes. What the host adds by itself
 * comes back with the answer, and is left alone then.
 *
 * @throws {Error} when it is not of this plane.
 */
export async function updateHostObject(
  { host, scope, settled }: HostObjects,
  { hostsOwn, known, resource, wanted }: HostUpdate,
  signal: AbortSignal,
): Promise<void> {
  if (virtualOf(scope, known) === undefined) {
    throw new Error(
      `${resource} "${known.metadata.name}" of the host namespace is not of this plane`,
    )
  }
  const change = hostChange(known, wanted, hostsOwn)
  if (change !== undefined && !isDeepStrictEqual(change, settled.get(known))) {
    const { metadata } = await host.replace(objectPath(resource, known.metadata), change, {
      signal,
    })
    if (metadata.resourceVersion === known.metadata.resourceVersion) {
      settled.set(known, change)
    }
  }
}

/** Removes a host object that is of this plane; any other stays. */
export async function removeHostObject(
  { host, scope }: HostObjects,
  { known, resource }: { resource: SyncedResource; known: KubeObject | undefined },
  signal: AbortSignal,
): Promise<void> {
  if (known !== undefined && virtualOf(scope, known) !== undefined) {
    const { uid } = known.metadata
    await host.delete(objectPath(resource, known.metadata), { uid, signal })
  }
}
