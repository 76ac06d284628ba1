import type { KubeObject } from '../../../shared/kube/kube-object.ts'
import type { SyncScope } from '../../scope/sync-scope.ts'
import { toHostLabels } from '../host-keys.ts'
import { markerLabels, type OwnerReference, toHostMetadata } from '../host-metadata.ts'
import { picked } from '../reading.ts'
import { recordAt, recordsAt, textAt, textMapAt } from '../../../shared/json-fields.ts'

/**
 * The same on the host, addresses included. Not `externalIPs`, with which a Service takes over traffic to any address
 * (CVE-2020-8554).
 */
const KEPT_FIELDS = [
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

/**
 * The host Service of a virtual one. Undefined for an external name: it is for the plane's DNS alone, and on the host it
 * would let an ingress controller reach whatever the host's names lead to.
 */
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
  const selector = toHostServiceSelector(scope, namespace, textMapAt(spec, 'selector'))
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: toHostMetadata(scope, virtual, owner),
    spec: {
      ...picked(spec, KEPT_FIELDS),
      ports: recordsAt(spec, 'ports').map((port) => picked(port, PORT_FIELDS)),
      ...(selector === undefined ? {} : { selector }),
    },
  }
}

/**
 * The selector of a host Service: only pods of the plane, of the Service's own virtual namespace. Undefined for a
 * Service without one, whose endpoints somebody writes: with the markers alone it would find every pod.
 */
export function toHostServiceSelector(
  scope: SyncScope,
  namespace: string,
  selector: Readonly<Record<string, string>>,
): Record<string, string> | undefined {
  return Object.keys(selector).length === 0
    ? undefined
    : { ...toHostLabels(selector), ...markerLabels(scope, namespace) }
}
