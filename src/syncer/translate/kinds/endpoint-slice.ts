import { API_SERVICE } from '../../../control-plane/sync/api-service.ts'
import type { KubeObject } from '../../../shared/kube/kube-object.ts'
import { type ObjectKey, toObjectKey } from '../../../kube/cache/object-key.ts'
import type { SyncScope } from '../../scope/sync-scope.ts'
import { copiedFields, type FieldDecisions } from '../field-decisions.ts'
import { type OwnerReference, toHostMetadata } from '../host-metadata.ts'
import { hostNameOf } from '../host-name.ts'
import { OBJECT_FIELDS } from '../object-fields.ts'
import { isRecord, recordAt } from '../../../shared/json-fields.ts'

const SERVICE_LABEL = 'kubernetes.io/service-name'
const MANAGER_LABEL = 'endpointslice.kubernetes.io/managed-by'

/** The decision for each field of an EndpointSlice. */
export const ENDPOINT_SLICE_FIELDS = {
  ...OBJECT_FIELDS,
  addressType: 'copy',
  endpoints: {
    addresses: 'copy',
    conditions: { ready: 'copy', serving: 'copy', terminating: 'copy' },
    deprecatedTopology: 'drop',
    hints: { forNodes: { name: 'copy' }, forZones: { name: 'copy' } },
    hostname: 'copy',
    nodeName: 'copy',
    // It names an object of the plane.
    targetRef: 'drop',
    zone: 'copy',
  },
  ports: { appProtocol: 'copy', name: 'copy', port: 'copy', protocol: 'copy' },
} as const satisfies FieldDecisions

/** Whether an endpoint slice is of a Service without selector; for any other one the host itself finds the pods. */
export function isOwnSlice(
  services: { get(key: ObjectKey): KubeObject | undefined },
  virtual: KubeObject,
): boolean {
  const key = serviceKeyOf(virtual)
  const spec = services.get(key)?.['spec']
  return (
    key !== API_SERVICE &&
    isRecord(spec) &&
    spec['type'] !== 'ExternalName' &&
    Object.keys(recordAt(spec, 'selector') ?? {}).length === 0
  )
}

/** The key of the Service of an endpoint slice. */
export function serviceKeyOf({ metadata: { labels = {}, namespace } }: KubeObject): ObjectKey {
  return toObjectKey({ name: labels[SERVICE_LABEL] ?? '', namespace })
}

/** The host endpoint slice of a virtual one, for the host Service of its Service; undefined when it has no Service. */
export function toHostEndpointSlice(
  scope: SyncScope,
  virtual: KubeObject,
  owner?: OwnerReference,
): KubeObject | undefined {
  const { labels = {}, namespace } = virtual.metadata
  const service = labels[SERVICE_LABEL]
  if (service === undefined || service === '') {
    return undefined
  }
  const metadata = toHostMetadata({ scope, resource: 'endpointslices', owner }, virtual)
  return {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: {
      ...metadata,
      labels: {
        ...metadata.labels,
        [SERVICE_LABEL]: hostNameOf(scope, { name: service, namespace }),
        // The host's own controllers delete slices with their names in this label.
        [MANAGER_LABEL]: 'vplane.dev',
      },
    },
    // The API requires it, also when it is empty.
    endpoints: [],
    ...copiedFields(ENDPOINT_SLICE_FIELDS, virtual),
  }
}
