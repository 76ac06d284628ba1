import type { KubeObject } from '../../../shared/kube/kube-object.ts'
import type { SyncScope } from '../../scope/sync-scope.ts'
import { type OwnerReference, toHostMetadata } from '../host-metadata.ts'
import { hostNameOf } from '../host-name.ts'
import { picked } from '../reading.ts'
import { recordsAt } from '../../../shared/json-fields.ts'

export const SERVICE_LABEL = 'kubernetes.io/service-name'
const MANAGER_LABEL = 'endpointslice.kubernetes.io/managed-by'

/** Not `targetRef`: it would name an object of the plane. */
const ENDPOINT_FIELDS = ['addresses', 'conditions', 'hints', 'hostname', 'nodeName', 'zone']
const PORT_FIELDS = ['appProtocol', 'name', 'port', 'protocol']

/** The host endpoint slice of a virtual one, for the host Service of its Service; undefined when it is of none. */
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
  const metadata = toHostMetadata(scope, virtual, owner)
  return {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: {
      ...metadata,
      labels: {
        ...metadata.labels,
        [SERVICE_LABEL]: hostNameOf(scope, { name: service, namespace }),
        // The host's own controllers tidy up slices that bear their names.
        [MANAGER_LABEL]: 'vplane.dev',
      },
    },
    ...picked(virtual, ['addressType']),
    endpoints: recordsAt(virtual, 'endpoints').map((one) => picked(one, ENDPOINT_FIELDS)),
    ports: recordsAt(virtual, 'ports').map((port) => picked(port, PORT_FIELDS)),
  }
}
