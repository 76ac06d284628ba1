import { isRecord, recordAt } from '../../shared/json-fields.ts'
import { type ObjectKey, toObjectKey } from '../scope/object-key.ts'
import type { SyncContext } from '../context/sync-context.ts'
import { SERVICE_LABEL, toHostEndpointSlice } from '../translate/kinds/endpoint-slice.ts'
import type { KubeObject } from '../../shared/kube/kube-object.ts'

/** The Service that an endpoint slice is of. */
export function serviceKeyOf({ metadata }: KubeObject): ObjectKey {
  return toObjectKey({
    name: metadata.labels?.[SERVICE_LABEL] ?? '',
    namespace: metadata.namespace,
  })
}

/**
 * The host endpoint slice of a virtual one that somebody wrote for a Service without selector; undefined for all others:
 * the host works out by itself which pods a Service with a selector has.
 */
export function toOwnEndpointSlice(
  { scope, services, surroundings }: Pick<SyncContext, 'scope' | 'services' | 'surroundings'>,
  virtual: KubeObject,
): KubeObject | undefined {
  const key = serviceKeyOf(virtual)
  const spec = services.virtual.get(key)?.['spec']
  const isOwn =
    key !== 'default/kubernetes' &&
    isRecord(spec) &&
    spec['type'] !== 'ExternalName' &&
    Object.keys(recordAt(spec, 'selector') ?? {}).length === 0
  return isOwn ? toHostEndpointSlice(scope, virtual, surroundings.owner) : undefined
}
