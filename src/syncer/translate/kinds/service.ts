import type { KubeObject } from '../../../shared/kube/kube-object.ts'
import type { SyncScope } from '../../scope/sync-scope.ts'
import { copiedFields, type FieldDecisions } from '../field-decisions.ts'
import { toHostLabels } from '../host-keys.ts'
import { markerLabels, type OwnerReference, toHostMetadata } from '../host-metadata.ts'
import { OBJECT_FIELDS } from '../object-fields.ts'
import { provided } from '../reading.ts'
import { recordAt, textAt, textMapAt } from '../../../shared/json-fields.ts'

/** The decision for each field of a Service. */
export const SERVICE_FIELDS = {
  ...OBJECT_FIELDS,
  spec: {
    allocateLoadBalancerNodePorts: 'copy',
    clusterIP: 'copy',
    clusterIPs: 'copy',
    externalIPs:
      'refuse: is not possible in a plane: a Service could take over any address (CVE-2020-8554)',
    // Such a Service has no host object.
    externalName: 'drop',
    externalTrafficPolicy: 'copy',
    healthCheckNodePort: 'copy',
    internalTrafficPolicy: 'copy',
    ipFamilies: 'copy',
    ipFamilyPolicy: 'copy',
    loadBalancerClass: 'copy',
    loadBalancerIP: 'copy',
    loadBalancerSourceRanges: 'copy',
    ports: {
      appProtocol: 'copy',
      name: 'copy',
      nodePort: 'copy',
      port: 'copy',
      protocol: 'copy',
      targetPort: 'copy',
    },
    publishNotReadyAddresses: 'copy',
    selector: 'translate',
    sessionAffinity: 'copy',
    sessionAffinityConfig: { clientIP: { timeoutSeconds: 'copy' } },
    trafficDistribution: 'copy',
    type: 'copy',
  },
  status: 'drop',
} as const satisfies FieldDecisions

/** The host Service of a virtual one; undefined for an external name, by which an ingress could reach any host name. */
export function toHostService(
  scope: SyncScope,
  virtual: KubeObject,
  owner?: OwnerReference,
): KubeObject | undefined {
  const spec = recordAt(virtual, 'spec') ?? {}
  if (textAt(spec, 'type') === 'ExternalName') {
    return undefined
  }
  const namespace = virtual.metadata.namespace ?? ''

  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: toHostMetadata({ scope, resource: 'services', owner }, virtual),
    spec: {
      ...copiedFields(SERVICE_FIELDS.spec, spec),
      ...provided({
        selector: toHostServiceSelector(scope, namespace, textMapAt(spec, 'selector')),
      }),
    },
  }
}

/** The selector of a host Service; undefined without a selector, since the markers alone would select all pods. */
export function toHostServiceSelector(
  scope: SyncScope,
  namespace: string,
  selector: Readonly<Record<string, string>>,
): Record<string, string> | undefined {
  return Object.keys(selector).length === 0
    ? undefined
    : { ...toHostLabels(scope, selector), ...markerLabels(scope, namespace) }
}
