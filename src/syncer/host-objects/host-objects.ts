import { isDeepStrictEqual } from 'node:util'
import type { KubeClient } from '../../kube/client/client.ts'
import { unlessStatus } from '../../kube/kube-error.ts'
import type { KubeObject } from '../../shared/kube/kube-object.ts'
import type { SyncedResource } from '../scope/resources.ts'
import type { SyncScope } from '../scope/sync-scope.ts'
import { virtualOf } from '../translate/host-metadata.ts'
import { ofOthers, withMarks } from '../translate/written.ts'
import { isRecord } from '../../shared/json-fields.ts'
import { collectionPath, objectPath } from '../../shared/kube/collections.ts'

export interface HostObjects {
  scope: SyncScope
  host: Pick<KubeClient, 'create' | 'replace' | 'delete'>
  /** The last writes that changed nothing, by host object: the host itself sets the fields that differ. */
  settled: WeakMap<KubeObject, KubeObject>
}

/** Undefined when it exists: it was created a moment ago, and is not in the cache yet. */
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

/** Makes a host object as wanted, but accepts what the host restores. @throws {Error} when it is not of this plane. */
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

/**
 * What to replace the known object with; undefined when that is up to date. Labels, annotations, finalizers and owners that
 * others on the host have added stay.
 */
export function hostChange(
  known: KubeObject,
  wanted: KubeObject,
  hostFields: readonly string[] = [],
): KubeObject | undefined {
  const marked = withMarks(wanted)
  const others = ofOthers(known)
  const labels = { ...others.labels, ...marked.metadata.labels }
  const annotations = { ...others.annotations, ...marked.metadata.annotations }
  const change = {
    ...marked,
    ...mergedSpec(known, marked, hostFields),
    metadata: { ...known.metadata, labels, annotations },
  }
  const isSame =
    isDeepStrictEqual(contentOf(known), contentOf(change)) &&
    isDeepStrictEqual(known.metadata.labels ?? {}, labels) &&
    isDeepStrictEqual(known.metadata.annotations ?? {}, annotations)
  return isSame ? undefined : change
}

function mergedSpec(
  known: KubeObject,
  wanted: KubeObject,
  hostFields: readonly string[],
): { spec?: Record<string, unknown> } {
  const [current, next] = [known['spec'], wanted['spec']]
  if (!isRecord(current) || !isRecord(next)) {
    return {}
  }
  const own = Object.entries(current).filter(([field]) => hostFields.includes(field))
  return { spec: { ...Object.fromEntries(own), ...next } }
}

/** All of an object except metadata, status and empty fields, which mean nothing. */
function contentOf(object: KubeObject): unknown {
  const { metadata: _, status: __, ...content } = object
  return withoutEmpty(content)
}

function withoutEmpty(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(withoutEmpty)
  }
  if (!isRecord(value)) {
    return value
  }
  const fields = Object.entries(value).map(([field, one]) => [field, withoutEmpty(one)] as const)
  return Object.fromEntries(fields.filter(([, one]) => !isEmpty(one)))
}

function isEmpty(value: unknown): boolean {
  return (
    value === undefined ||
    value === null ||
    (typeof value === 'object' && Object.keys(value).length === 0)
  )
}
