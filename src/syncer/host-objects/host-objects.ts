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
  /** The last writes that changed nothing, by host object: the host itself sets the fields that differ. */
  settled: WeakMap<KubeObject, KubeObject>
}

/**
 * Creates a host object.
 *
 * @returns undefined when one of that name exists: it was created a moment ago, and is not in the cache yet.
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
  /** Fields of `spec` that keep the host's values unless `wanted` sets them. */
  hostFields?: readonly string[] | undefined
}

/**
 * Replaces a host object that differs from the wanted one, and so removes what others have added. Differences that the host
 * itself restores with the write are accepted.
 *
 * @throws {Error} when it does not belong to this plane.
 */
export async function updateHostObject(
  { host, scope, settled }: HostObjects,
  { hostFields, known, resource, wanted }: HostUpdate,
  signal: AbortSignal,
): Promise<void> {
  if (virtualOf(scope, known) === undefined) {
    throw new Error(
      `${resource} "${known.metadata.name}" of the host namespace does not belong to this plane`,
    )
  }
  const change = hostChange(known, wanted, hostFields)
  if (change !== undefined && !isDeepStrictEqual(change, settled.get(known))) {
    const path = objectPath(resource, known.metadata)
    const { metadata } = await host.replace(path, change, { signal })
    if (metadata.resourceVersion === known.metadata.resourceVersion) {
      settled.set(known, change)
    }
  }
}

/** Deletes a host object that belongs to this plane; any other stays. */
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
