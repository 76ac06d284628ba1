import { formatMetrics, type Metric } from '../../shared/text/format-metrics.ts'
import type { Figures, NodeFigures } from './node-figures.ts'

/** Something that is measured, with what tells it from others of its kind. */
type Labelled = readonly [labels: Record<string, string>, figures: Figures]

/**
 * A node's `/metrics/resource`, in the text format of Prometheus, with the names that kubelets use
 * (pkg/kubelet/metrics/collectors/resource_metrics.go) and the times of measuring.
 */
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
    ...usage('container', containers),
    {
      name: 'container_start_time_seconds',
      type: 'gauge',
      help: 'When the container was started.',
      samples: samplesOf(starts, ({ startTime = '' }) => Date.parse(startTime) / 1000),
    },
    ...usage('pod', pods),
    // Nothing was measured where no pod was.
    ...usage('node', pods.length === 0 ? [] : [[{}, node]]),
    {
      name: 'resource_scrape_error',
      type: 'gauge',
      help: '1 if there was an error, 0 otherwise.',
      samples: [{ value: 0 }],
    },
  ])
}

function usage(what: string, measured: readonly Labelled[]): Metric[] {
  return [
    {
      name: `${what}_cpu_usage_seconds_total`,
      type: 'counter',
      help: `CPU time of the ${what}, from averages that the host measures.`,
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
