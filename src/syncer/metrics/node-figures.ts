import type { KubeObject } from '../../kube/kube-object.ts'
import { recordAt, recordsAt, textAt } from '../translate/reading.ts'
import type { CpuCounters } from './cpu-counters.ts'
import { type PodUsage, sumOf, type Usage } from './pod-usage.ts'

/** What is known of something that runs. */
export interface Figures extends Usage {
  /** CPU time since the counting began. */
  cpuSeconds: number
  /** When it was measured, in milliseconds. */
  at: number
  /** Since when it runs, as it says. */
  startTime?: string | undefined
}

export interface ContainerFigures extends Figures {
  name: string
}

export interface PodFigures extends Figures {
  pod: KubeObject
  containers: ContainerFigures[]
}

/** A node with its pods: what those of the plane use there together. */
export interface NodeFigures extends Figures {
  name: string
  pods: PodFigures[]
}

/** What is known of a node of the plane. */
export function nodeFigures(
  node: KubeObject,
  usages: readonly PodUsage[],
  counters: Pick<CpuCounters, 'secondsOf' | 'secondsOn'>,
): NodeFigures {
  const { name = '' } = node.metadata
  const pods = usages
    .filter((usage) => usage.node === name)
    .map((usage) => podFigures(usage, counters))
  return {
    name,
    ...sumOf(pods),
    cpuSeconds: counters.secondsOn(name),
    at: Math.max(0, ...pods.map(({ at }) => at)),
    startTime: textAt(node.metadata, 'creationTimestamp'),
    pods,
  }
}

function podFigures(
  { containers, pod, timestamp }: PodUsage,
  counters: Pick<CpuCounters, 'secondsOf'>,
): PodFigures {
  const at = Date.parse(timestamp)
  const figures = containers.map((container) => ({
    ...container,
    at,
    cpuSeconds: counters.secondsOf(pod, container.name),
    startTime: startOf(pod, container.name),
  }))
  return {
    pod,
    ...sumOf(containers),
    at,
    cpuSeconds: figures.reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0),
    startTime: textAt(recordAt(pod, 'status') ?? {}, 'startTime'),
    containers: figures,
  }
}

/** When a container of a pod was started last. */
function startOf(pod: KubeObject, container: string): string | undefined {
  const status = recordAt(pod, 'status') ?? {}
  const found = ['containerStatuses', 'initContainerStatuses', 'ephemeralContainerStatuses']
    .flatMap((list) => recordsAt(status, list))
    .find((one) => textAt(one, 'name') === container)
  const running = recordAt(recordAt(found ?? {}, 'state') ?? {}, 'running') ?? {}
  return textAt(running, 'startedAt')
}
