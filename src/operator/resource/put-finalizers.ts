import { unlessChanged } from '../../kube/cache/object-cache.ts'
import type { KubeClient } from '../../kube/client/client.ts'
import { textsAt } from '../../shared/json-fields.ts'
import { objectPath, type Resource } from '../../shared/kube/collections.ts'
import type { KubeObject } from '../../shared/kube/kube-object.ts'

export interface FinalizerChange {
  resource: KubeObject
  /** @default 'controlplanes' */
  kind?: Resource
  add?: string
  remove?: string
}

/** Adds a finalizer to an object at its known version, or removes it. */
export async function putFinalizers(
  { host }: { host: Pick<KubeClient, 'patch'> },
  { add, kind = 'controlplanes', remove, resource: { metadata } }: FinalizerChange,
  signal: AbortSignal,
): Promise<void> {
  const others = textsAt(metadata, 'finalizers').filter((one) => one !== remove && one !== add)
  const finalizers = add === undefined ? others : [...others, add]
  const patch = { metadata: { finalizers, resourceVersion: metadata.resourceVersion } }
  await unlessChanged(host.patch(objectPath(kind, metadata), patch, { type: 'merge', signal }))
}
