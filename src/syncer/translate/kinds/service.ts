import type { KubeObject } from '../../../shared/kube/kube-object.ts'
import type { SyncScope } from '../../scope/sync-scope.ts'
import { toHostLabels } from '../host-keys.ts'
import { markerLabels, type OwnerReference, toHostMetadata } from '../host-metadata.ts'
import { picked, provided } from '../reading.ts'
import { recordAt, recordsAt, textAt, textMapAt } from '../../../shared/json-fields.ts'

/** Copied to the host, also addresses; not `externalIPs`, with which a Service takes over any address (CVE-2020-8554). */
const COPIED_FIELDS = [
  'allocateLoadBalancerNodePorts',
  'clusterIP',
  'clusterIPs',
  'externalTrafficPolicy',
  'healthCheckNodePort',
  'internalTrafficPolicy',
  'ipFamilies',
  'ipFamilyPolicy',
  'loadBalancerClass',
  'loadBalancerIP',
  'loadBalancerSourceRanges',
  'publishNotReadyAddresses',
  'sessionAffinity',
  'sessionAffinityConfig',
  'trafficDistribution',
  'type',
]

const PORT_FIELDS = ['appProtocol', 'name', 'nodePort', 'port', 'protocol', 'targetPort']

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
    metadata: toHostMetadata(scope, virtual, owner),
    spec: {
      ...picked(spec, COPIED_FIELDS),
      ports: recordsAt(spec, 'ports').map((port) => picked(port, PORT_FIELDS)),
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
    : { ...toHostLabels(selector), ...markerLabels(scope, namespace) }
}
