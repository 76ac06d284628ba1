import type { KubeObject } from '../../shared/kube/kube-object.ts'
import { type Json, recordAt, recordsAt, textAt } from '../../shared/json-fields.ts'
import type { CpuCounters } from './cpu-counters.ts'
import { type PodUsage, sumOf, type Usage } from './host-usage.ts'

/** What is known of something that runs. */
export interface Figures extends Usage {
  /** CPU time since the counting began. */
  cpuSeconds: number
  /** When it was measured, in milliseconds. */
  at: number
  /** Since when it runs, as it says. */
  startTime: string | undefined
}

interface PodFigures extends Figures {
  pod: KubeObject
  containers: Array<Figures & { name: string }>
}

/** A node with its pods: what those of the plane use there together. */
export interface NodeFigures extends Figures {
  name: string
  pods: PodFigures[]
}

/** What is known of a node of the plane. */
export function nodeFigures(
  { metadata }: Pick<KubeObject, 'metadata'>,
  usages: readonly PodUsage[],
  counters: CpuCounters,
): NodeFigures {
  const { name = '' } = metadata
  const pods = usages
    .filter(({ node }) => node === name)
    .map(({ containers, pod, timestamp }): PodFigures => {
      const at = Date.parse(timestamp)
      const status = recordAt(pod, 'status') ?? {}
      const measured = containers.map((container) => ({
        ...container,
        at,
        cpuSeconds: counters.secondsOf(pod, container.name),
        startTime: startOf(status, container.name),
      }))
      const cpuSeconds = measured.reduce((sum, one) => sum + one.cpuSeconds, 0)
      const startTime = textAt(status, 'startTime')
      return { pod, ...sumOf(containers), at, cpuSeconds, startTime, containers: measured }
    })
  const at = Math.max(0, ...pods.map((pod) => pod.at))
  const startTime = textAt(metadata, 'creationTimestamp')
  return { name, ...sumOf(pods), at, cpuSeconds: counters.secondsOn(name), startTime, pods }
}

/** When a container was started last. */
function startOf(status: Json, container: string): string | undefined {
  const found = ['containerStatuses', 'initContainerStatuses', 'ephemeralContainerStatuses']
    .flatMap((list) => recordsAt(status, list))
    .find(({ name }) => name === container)
  const running = recordAt(found, 'state', 'running') ?? {}
  return textAt(running, 'startedAt')
}

/** A node's `/stats/summary`, as far as the host tells (k8s.io/kubelet/pkg/apis/stats/v1alpha1, `Summary`). */
export function statsSummary({ name: nodeName, pods, ...node }: NodeFigures): Json {
  return {
    node: { nodeName, ...statsOf(node) },
    pods: pods.map(({ containers, pod, ...figures }) => {
      const { name, namespace, uid } = pod.metadata
      return {
        podRef: { name, namespace, uid },
        ...statsOf(figures),
        containers: containers.map((one) => ({ name: one.name, ...statsOf(one) })),
      }
    }),
  }
}

function statsOf({ at, cpuSeconds, memoryBytes, nanoCores, startTime }: Figures): Json {
  const time = new Date(at).toISOString()
  const usageCoreNanoSeconds = Math.round(cpuSeconds * 1e9)
  return {
    startTime: startTime ?? time,
    cpu: { time, usageNanoCores: nanoCores, usageCoreNanoSeconds },
    memory: { time, workingSetBytes: memoryBytes },
  }
}
