import { value } from '../compare.ts'
import type { Result } from '../figure.ts'
import { median } from '../statistics.ts'

/** What is measured with several numbers of planes. */
export interface Metric<Measured> {
  name: string
  what: string
  unit: Result['unit']
  samplesIn: (measured: Measured) => readonly number[]
  target?: number
}

/** Each metric with the most planes, and with the other numbers in a note. */
export function resultsByNumber<Measured>(
  metrics: ReadonlyArray<Metric<Measured>>,
  measured: ReadonlyMap<number, Measured>,
): Result[] {
  const most = Math.max(...measured.keys())
  return metrics.map(({ samplesIn, what, ...metric }) => {
    const samples = [...measured].map(([count, one]) => [count, samplesIn(one)] as const)
    const medians = samples.map(
      ([count, of]) => `${count}: ${median(of).toFixed(0)} ${metric.unit}`,
    )
    return value({
      ...metric,
      what: `${what}; ${most} planes`,
      of: String(most),
      samples: Object.fromEntries(samples),
      notes: [`by the number of planes, ${medians.join(', ')}`],
    })
  })
}
