import type { KubeObject } from '../../kube/kube-object.ts'
import { isVirtual } from '../translate/virtual-label.ts'
import { type PodUsage, sumOf, type Usage } from './pod-usage.ts'

export const METRICS_API = 'metrics.k8s.io/v1beta1'

/** The metrics of a pod. */
export function podMetrics({ containers, pod, timestamp, window }: PodUsage): KubeObject {
  return {
    kind: 'PodMetrics',
    apiVersion: METRICS_API,
    metadata: measured(pod, timestamp),
    timestamp,
    window,
    containers: containers.map(({ name, ...usage }) => ({ name, usage: inQuantities(usage) })),
  }
}

/** The metrics of nodes as those of the host that they stand for; one of which nothing was measured has none. */
export function shownNodeMetrics(
  nodes: Iterable<KubeObject>,
  onHost: readonly KubeObject[],
): KubeObject[] {
  return [...nodes].filter(isVirtual).flatMap((node) => {
    const found = onHost.find(({ metadata }) => metadata.name === node.metadata.name)
    if (found === undefined) {
      return []
    }
    const { timestamp, usage, window } = found
    const metadata = measured(node, String(timestamp))
    return [{ kind: 'NodeMetrics', apiVersion: METRICS_API, metadata, timestamp, window, usage }]
  })
}

/**
 * The metrics of nodes where the host's are not shown: what the plane's pods on each use together. One of which nothing was
 * measured has none.
 */
export function nodeMetrics(
  nodes: Iterable<KubeObject>,
  usages: readonly PodUsage[],
): KubeObject[] {
  return [...nodes].flatMap((node) => {
    const onIt = usages.filter((usage) => usage.node === node.metadata.name)
    const last = onIt.toSorted((left, right) => (left.timestamp < right.timestamp ? -1 : 1)).at(-1)
    if (last === undefined) {
      return []
    }
    const { timestamp, window } = last
    const usage = inQuantities(sumOf(onIt.flatMap(({ containers }) => containers)))
    const metadata = measured(node, timestamp)
    return [{ kind: 'NodeMetrics', apiVersion: METRICS_API, metadata, timestamp, window, usage }]
  })
}

function measured({ metadata }: KubeObject, timestamp: string): KubeObject['metadata'] {
  const { labels, name = '', namespace } = metadata
  return {
    name,
    ...(namespace === undefined ? {} : { namespace }),
    ...(labels === undefined ? {} : { labels }),
    creationTimestamp: timestamp,
  }
}

function inQuantities({ memoryBytes, nanoCores }: Usage): Record<string, string> {
  return { cpu: `${nanoCores}n`, memory: `${memoryBytes}` }
}
