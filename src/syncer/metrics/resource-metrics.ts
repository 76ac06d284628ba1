import { formatMetrics, type Metric, type Sample } from '../../shared/text/format-metrics.ts'
import type { Figures, NodeFigures } from './node-figures.ts'

type Labels = Record<string, string>

/** Something that is measured, with what tells it from others of its kind. */
type Labelled = readonly [labels: Labels, figures: Figures]

/**
 * A node's `/metrics/resource`, in the text format of Prometheus, with the names that kubelets use
 * (pkg/kubelet/metrics/collectors/resource_metrics.go) and the times of measuring.
 */
export function resourceMetrics(node: NodeFigures): string {
  const pods = node.pods.map(({ pod, ...figures }) => {
    const { name = '', namespace = '' } = pod.metadata
    return { labels: { namespace, pod: name }, figures }
  })
  const containers = pods.flatMap(({ figures, labels }) =>
    figures.containers.map(({ name, ...container }): Labelled => [
      { container: name, ...labels },
      container,
    ]),
  )
  return formatMetrics([
    ...usage('container', containers),
    {
      name: 'container_start_time_seconds',
      type: 'gauge',
      help: 'When the container was started.',
      samples: containers.flatMap(startOf),
    },
    ...usage(
      'pod',
      pods.map(({ figures, labels }): Labelled => [labels, figures]),
    ),
    // Nothing was measured where no pod was.
    ...usage('node', node.pods.length === 0 ? [] : [[{}, node]]),
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
      samples: measured.map(([labels, { at, cpuSeconds }]) => ({ labels, value: cpuSeconds, at })),
    },
    {
      name: `${what}_memory_working_set_bytes`,
      type: 'gauge',
      help: `Working set of the ${what} in bytes.`,
      samples: measured.map(([labels, { at, memoryBytes }]) => ({
        labels,
        value: memoryBytes,
        at,
      })),
    },
  ]
}

function startOf([labels, { at, startTime = '' }]: Labelled): Sample[] {
  const seconds = Date.parse(startTime) / 1000
  return Number.isNaN(seconds) ? [] : [{ labels, value: seconds, at }]
}
