import { quantityValue } from '../../control-plane/spec/fields/quantity.ts'
import type { KubeObject } from '../../kube/kube-object.ts'
import { keyOf, toObjectKey } from '../scope/object-key.ts'
import { nodeNameOf } from '../translate/pod-fields.ts'
import type { SyncContext } from '../context/sync-context.ts'
import { type Json, recordAt, recordsAt, textAt } from '../translate/reading.ts'
import { virtualOf } from '../translate/virtual-of.ts'

/** What a pod of the plane uses, as the host measured it. */
export interface PodUsage {
  /** The virtual pod. */
  pod: KubeObject
  node: string | undefined
  /** When that was. */
  timestamp: string
  /** The time before that over which CPU was measured: `15s`. */
  window: string
  containers: ContainerUsage[]
}

export interface ContainerUsage extends Usage {
  name: string
}

export interface Usage {
  /** In billionths of a core. */
  nanoCores: number
  /** The working set. */
  memoryBytes: number
}

/** The lists of a pod's containers. */
const CONTAINER_LISTS = ['containers', 'initContainers', 'ephemeralContainers']

/**
 * What virtual pods use, of the metrics of host pods (`PodMetrics` of metrics.k8s.io). Those carry no annotations, so
 * the host pod itself says whose it is. Containers that the host has added are not the plane's.
 */
export function toPodUsages(
  { pods, scope }: Pick<SyncContext, 'pods' | 'scope'>,
  metrics: readonly KubeObject[],
): PodUsage[] {
  return metrics.flatMap((one) => {
    const host = pods.host.get(keyOf(one))
    const identity = host === undefined ? undefined : virtualOf(scope, host)
    const pod = identity === undefined ? undefined : pods.virtual.get(toObjectKey(identity))
    if (host === undefined || pod === undefined || pod.metadata.uid !== identity?.uid) {
      return []
    }
    const names = containerNamesOf(pod)
    const containers = recordsAt(one, 'containers')
      .map(toContainerUsage)
      .filter(({ name }) => names.has(name))
    const timestamp = textAt(one, 'timestamp') ?? ''
    const window = textAt(one, 'window') ?? ''
    return containers.length === 0
      ? []
      : [{ pod, node: nodeNameOf(host), timestamp, window, containers }]
  })
}

/** What several use together. */
export function sumOf(usages: readonly Usage[]): Usage {
  return {
    nanoCores: usages.reduce((sum, { nanoCores }) => sum + nanoCores, 0),
    memoryBytes: usages.reduce((sum, { memoryBytes }) => sum + memoryBytes, 0),
  }
}

function containerNamesOf(pod: KubeObject): Set<string> {
  const spec = recordAt(pod, 'spec') ?? {}
  const containers = CONTAINER_LISTS.flatMap((list) => recordsAt(spec, list))
  return new Set(containers.map((container) => textAt(container, 'name') ?? ''))
}

function toContainerUsage(container: Json): ContainerUsage {
  const usage = recordAt(container, 'usage') ?? {}
  const value = (resource: string) => quantityValue(textAt(usage, resource) ?? '') ?? 0
  return {
    name: textAt(container, 'name') ?? '',
    nanoCores: Math.round(value('cpu') * 1e9),
    memoryBytes: Math.round(value('memory')),
  }
}
