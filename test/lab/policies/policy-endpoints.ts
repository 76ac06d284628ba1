import { fieldAt, recordsAt, textAt, numberAt } from '../../../src/shared/json-fields.ts'
import {
  isSelected,
  type Labels,
  type LabelSelector,
} from '../../../src/shared/kube/label-selector.ts'
import type { KubeObject } from '../../../src/shared/kube/kube-object.ts'

/** A pod as policies see it. */
export interface PolicyEndpoint {
  address: string
  node: string
  namespace: string
  labels: Labels
  namespaceLabels: Labels
  /** Of its containers: those with a name. */
  ports: NamedPort[]
}

interface NamedPort {
  name: string
  number: number
  /** As nftables says it: `tcp`. */
  protocol: string
}

/** Which pods, by their labels and by those of their namespaces. */
export interface EndpointSelector {
  podSelector?: LabelSelector
  /** @default the namespace of the policy alone */
  namespaceSelector?: LabelSelector
}

/** What policies are about. */
export interface PolicyObjects {
  pods: Iterable<KubeObject>
  namespaces: Iterable<KubeObject>
}

/**
 * The pods of some nodes that are subject to policies and peers of them, ordered by address. Those on the network of their
 * node are neither, and a pod that has ended has no address any more.
 */
export function policyEndpoints(
  nodes: readonly string[],
  { namespaces, pods }: PolicyObjects,
): PolicyEndpoint[] {
  const labelsOf = new Map([...namespaces].map(({ metadata }) => [metadata.name, metadata.labels]))
  const created = (pod: KubeObject) => textAt(pod, 'metadata', 'creationTimestamp') ?? ''
  // The address of a pod that is about to go may be that of a newer one already.
  const oldestFirst = [...pods].toSorted((one, other) => created(one).localeCompare(created(other)))
  const byAddress = new Map<string, PolicyEndpoint>()
  for (const pod of oldestFirst) {
    const { labels = {}, namespace = '' } = pod.metadata
    const address = textAt(pod, 'status', 'podIP')
    const node = textAt(pod, 'spec', 'nodeName') ?? ''
    // Pods of simulated nodes have addresses that pods of others have, too.
    if (address !== undefined && nodes.includes(node) && isSubject(pod)) {
      const namespaceLabels = labelsOf.get(namespace) ?? {}
      const ports = namedPorts(pod)
      byAddress.set(address, { address, node, namespace, labels, namespaceLabels, ports })
    }
  }
  return [...byAddress.values()].toSorted((one, other) => one.address.localeCompare(other.address))
}

/** Whether a selector of a policy in a namespace selects a pod. */
export function selects(
  { namespaceSelector, podSelector = {} }: EndpointSelector,
  policyNamespace: string,
  { labels, namespace, namespaceLabels }: PolicyEndpoint,
): boolean {
  const isInNamespace =
    namespaceSelector === undefined
      ? namespace === policyNamespace
      : isSelected(namespaceSelector, namespaceLabels)
  return isInNamespace && isSelected(podSelector, labels)
}

function isSubject(pod: KubeObject): boolean {
  const hasEnded = ['Succeeded', 'Failed'].includes(textAt(pod, 'status', 'phase') ?? '')
  return !hasEnded && fieldAt(pod, 'spec', 'hostNetwork') !== true
}

function namedPorts(pod: KubeObject): NamedPort[] {
  const containers = [
    ...recordsAt(pod, 'spec', 'initContainers'),
    ...recordsAt(pod, 'spec', 'containers'),
  ]
  return containers
    .flatMap((container) => recordsAt(container, 'ports'))
    .flatMap((port) => {
      const name = textAt(port, 'name')
      const number = numberAt(port, 'containerPort')
      const protocol = textAt(port, 'protocol')?.toLowerCase()
      return name === undefined || number === undefined || protocol === undefined
        ? []
        : [{ name, number, protocol }]
    })
}
