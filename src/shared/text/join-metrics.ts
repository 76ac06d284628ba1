/**
 * Joins texts of `formatMetrics` into one: the samples of a metric must be together, and its help comes once
 * (prometheus.io/docs/instrumenting/exposition_formats).
 */
export function joinMetrics(texts: readonly string[]): string {
  const metrics = texts.flatMap((text) => text.split(/^(?=# HELP )/m)).filter((one) => one !== '')
  const byHead = Map.groupBy(metrics, (metric) => headOf(metric))
  return [...byHead]
    .map(([head, same]) => head + same.map((metric) => metric.slice(head.length)).join(''))
    .join('')
}

/** The lines about a metric before its samples. */
function headOf(metric: string): string {
  return /^(?:#.*\n)*/.exec(metric)?.[0] ?? ''
}
