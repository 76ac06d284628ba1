import { Flags } from '@oclif/core'
import { BaseCommand } from '../cli/base/base-command.ts'
import { nameArgument } from '../cli/flags/flags.ts'
import { selectorFlags } from '../cli/flags/selector-flags.ts'
import { ALL_COMPONENT_NAMES, type AnyComponentName } from '../control-plane/plane/plane.ts'
import {
  readComponentMetrics,
  readMetrics,
} from '../control-plane/use-cases/observe/read-metrics.ts'
import { formatMetrics, type Metric } from '../shared/text/format-metrics.ts'

export interface MetricsResult {
  name: string
  component: AnyComponentName | null
  /** Empty with a component, whose metrics are in the text alone. */
  metrics: Array<{
    name: string
    type: 'counter' | 'gauge'
    help: string
    samples: Array<{ labels: Record<string, string>; value: number }>
  }>
  /** As Prometheus reads it. */
  text: string
}

export default class Metrics extends BaseCommand {
  static override readonly summary = 'Prints metrics of a control plane in Prometheus format.'
  static override readonly description =
    'Reports which components are up, the size and health of etcd, the time until certificates expire, and the state of backups. With --component, prints the metrics that one component exports; of several replicas, one that is ready. The keeper of a plane serves the same metrics.'
  static override readonly examples = [
    '<%= config.bin %> metrics dev',
    '<%= config.bin %> metrics dev --component etcd | grep fsync',
  ]
  static override readonly group = 'planes'
  static override readonly args = { name: nameArgument() }
  static override readonly flags = {
    ...selectorFlags,
    component: Flags.option({
      options: ALL_COMPONENT_NAMES,
      summary: 'Prints the metrics that this component exports.',
    })(),
  }

  async run(): Promise<MetricsResult> {
    const { args, flags } = await this.parse(Metrics)
    const { composition, selected } = await this.select(args.name, flags)
    const { component } = flags
    const metrics = component === undefined ? await readMetrics(composition, selected) : []
    const text =
      component === undefined
        ? formatMetrics(metrics)
        : await readComponentMetrics(composition, { ...selected, component })
    if (!this.jsonEnabled()) {
      process.stdout.write(text)
    }
    return {
      name: selected.name,
      component: component ?? null,
      metrics: metrics.map(toResult),
      text,
    }
  }
}

function toResult({ help, name, samples, type }: Metric): MetricsResult['metrics'][number] {
  return {
    name,
    type,
    help,
    samples: samples.map(({ labels = {}, value }) => ({ labels: { ...labels }, value })),
  }
}
