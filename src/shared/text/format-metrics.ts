type Labels = Readonly<Record<string, string>>

export interface Sample {
  labels?: Labels
  value: number
  /** When it was measured, in milliseconds since 1970. @default when it is requested */
  at?: number
}

/** A metric, named by the conventions of Prometheus (prometheus.io/docs/practices/naming). */
export interface Metric {
  name: string
  type: 'counter' | 'gauge'
  help: string
  samples: readonly Sample[]
}

/** Formats metrics that have samples as text (prometheus.io/docs/instrumenting/exposition_formats). */
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

/** Parses one line of `formatMetrics`. A line without a sample has an empty name; quotes in labels stay escaped. */
export function parseSample(line: string): {
  name: string
  labels: Record<string, string>
  value: number
} {
  const [, name = '', labels = '', value = ''] = /^(\w+)(?:\{(.*)\})? (\S+)/.exec(line) ?? []
  const pairs = [...labels.matchAll(/(\w+)="([^"]*)"/g)]
  return {
    name,
    labels: Object.fromEntries(pairs.map(([, key = '', text = '']) => [key, text])),
    value: Number(value),
  }
}
