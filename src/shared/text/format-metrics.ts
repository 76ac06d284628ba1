type Labels = Readonly<Record<string, string>>

/** One value of a metric. */
export interface Sample {
  /** What tells it from others of the metric. @default nothing */
  labels?: Labels
  value: number
  /** When it was measured, in milliseconds since 1970. @default when it is asked for */
  at?: number
}

/** Something that is measured, named after the conventions of Prometheus (prometheus.io/docs/practices/naming). */
export interface Metric {
  name: string
  type: 'counter' | 'gauge'
  /** What it says, in one sentence. */
  help: string
  samples: readonly Sample[]
}

/** Metrics in the text format of Prometheus (prometheus.io/docs/instrumenting/exposition_formats); those without samples are left out. */
export function formatMetrics(metrics: readonly Metric[]): string {
  return metrics
    .filter(({ samples }) => samples.length > 0)
    .flatMap(({ help, name, samples, type }) => [
      `# HELP ${name} ${help}\n`,
      `# TYPE ${name} ${type}\n`,
      ...samples.map((sample) => `${name}${formatSample(sample)}\n`),
    ])
    .join('')
}

function formatSample({ at, labels = {}, value }: Sample): string {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escaped(text)}"`)
  const time = at === undefined ? '' : ` ${at}`
  return `${pairs.length === 0 ? '' : `{${pairs.join(',')}}`} ${value}${time}`
}

function escaped(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
}
