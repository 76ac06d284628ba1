/** A line of metrics in the text format of Prometheus, as `formatMetrics` writes it. */
export interface ParsedSample {
  name: string
  labels: Record<string, string>
  value: number
}

/** Reads one line of metrics. One that is no sample has an empty name; quotes in labels stay escaped. */
export function parseSample(line: string): ParsedSample {
  const [, name = '', labels = '', value = ''] = /^(\w+)(?:\{(.*)\})? (\S+)/.exec(line) ?? []
  const pairs = [...labels.matchAll(/(\w+)="([^"]*)"/g)]
  return {
    name,
    labels: Object.fromEntries(pairs.map(([, key = '', text = '']) => [key, text])),
    value: Number(value),
  }
}
