import type { KubeObject } from '../../shared/kube/kube-object.ts'
import { type Json, recordAt, recordsAt, textAt } from '../../shared/json-fields.ts'
import { formatMetrics, type Metric } from '../../shared/text/format-metrics.ts'
import type { CpuCounters } from './cpu-counters.ts'
import { type PodUsage, sumOf, type Usage } from './host-usage.ts'

interface Figures extends Usage {
  /** CPU time since the counters started. */
  cpuSeconds: number
  /** When it was measured, in milliseconds. */
  at: number
  startTime: string | undefined
}

interface PodFigures extends Figures {
  pod: KubeObject
  containers: Array<Figures & { name: string }>
}

/** A node with its pods; its usage is the sum of the plane's pods. */
export interface NodeFigures extends Figures {
  name: string
  pods: PodFigures[]
}

/** Computes the figures of a node of the plane. */
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
  const at = pods.reduce((latest, pod) => Math.max(latest, pod.at), 0)
  const startTime = textAt(metadata, 'creationTimestamp')
  return { name, ...sumOf(pods), at, cpuSeconds: counters.secondsOn(name), startTime, pods }
}

function startOf(status: Json, container: string): string | undefined {
  const found = ['containerStatuses', 'initContainerStatuses', 'ephemeralContainerStatuses']
    .flatMap((list) => recordsAt(status, list))
    .find(({ name }) => name === container)
  const running = recordAt(found, 'state', 'running') ?? {}
  return textAt(running, 'startedAt')
}

/** A node's `/stats/summary`, as far as the host measures it (k8s.io/kubelet/pkg/apis/stats/v1alpha1, `Summary`). */
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

type Labelled = readonly [labels: Record<string, string>, figures: Figures]

/** A node's `/metrics/resource`, with kubelets' names (pkg/kubelet/metrics/collectors/resource_metrics.go). */
export function resourceMetrics(node: NodeFigures): string {
  const pods = node.pods.map((figures) => {
    const { name = '', namespace = '' } = figures.pod.metadata
    return [{ namespace, pod: name }, figures] as const
  })
  const containers = pods.flatMap(([labels, { containers }]) =>
    containers.map((one): Labelled => [{ container: one.name, ...labels }, one]),
  )
  const starts = containers.filter(([, { startTime }]) => startTime !== undefined)
  return formatMetrics([
    ...usageMetrics('container', containers),
    {
      name: 'container_start_time_seconds',
      type: 'gauge',
      help: 'Start time of the container.',
      samples: samplesOf(starts, ({ startTime = '' }) => Date.parse(startTime) / 1000),
    },
    ...usageMetrics('pod', pods),
    // A node without pods was not measured.
    ...usageMetrics('node', pods.length === 0 ? [] : [[{}, node]]),
    {
      name: 'resource_scrape_error',
      type: 'gauge',
      help: '1 if there was an error, 0 otherwise.',
      samples: [{ value: 0 }],
    },
  ])
}

function usageMetrics(what: string, measured: readonly Labelled[]): Metric[] {
  return [
    {
      name: `${what}_cpu_usage_seconds_total`,
      type: 'counter',
      help: `CPU time of the ${what}, added up from averages that the host measures.`,
      samples: samplesOf(measured, ({ cpuSeconds }) => cpuSeconds),
    },
    {
      name: `${what}_memory_working_set_bytes`,
      type: 'gauge',
      help: `Working set of the ${what} in bytes.`,
      samples: samplesOf(measured, ({ memoryBytes }) => memoryBytes),
    },
  ]
}

function samplesOf(
  measured: readonly Labelled[],
  valueOf: (figures: Figures) => number,
): Metric['samples'] {
  return measured.map(([labels, one]) => ({ labels, value: valueOf(one), at: one.at }))
}
