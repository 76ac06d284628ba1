import type { Result, Unit } from './figure.ts'
import { median, quantile } from './statistics.ts'

/** A result that was not compared yet. */
export interface Measured extends Omit<Result, 'median' | 'reference' | 'compared'> {
  /** Names the samples of vplane, and those of the reference. */
  of: string
  to: { samples: string; what: string }
}

/** A result that is held against its targets as a multiple of the reference. */
export function ratio({ of, to, ...measured }: Measured): Result {
  const { own, other } = medians(measured, { of, to: to.samples })
  return {
    ...measured,
    median: own,
    reference: { what: to.what, median: other },
    compared: { as: 'ratio', value: own / other, unit: 'x' },
  }
}

/** A result that is held against its targets as what it is more than the reference. */
export function difference({ of, to, ...measured }: Measured): Result {
  const { own, other } = medians(measured, { of, to: to.samples })
  return {
    ...measured,
    median: own,
    reference: { what: to.what, median: other },
    compared: { as: 'difference', value: own - other, unit: measured.unit },
  }
}

/** A result that is held against its targets as it is. */
export function value({ of, ...measured }: Omit<Measured, 'to'>): Result {
  const own = median(measured.samples[of] ?? [])
  const unit: Unit = measured.unit
  return { ...measured, median: own, compared: { as: 'value', value: own, unit } }
}

/** A result that is held against its targets as what 95 % of the samples do not exceed. */
export function slowest({ of, ...measured }: Omit<Measured, 'notes' | 'to'>): Result {
  const own = measured.samples[of] ?? []
  const p95 = quantile(own, 0.95)
  const longest = `of ${own.length}, the longest took ${Math.max(...own).toFixed(0)} ms`
  const compared = { as: 'value', value: p95, unit: measured.unit } as const
  return { ...measured, median: p95, compared, notes: [longest] }
}

/** A result that is held against its targets as the sum of all rounds: what may not happen even once. */
export function total({ of, ...measured }: Omit<Measured, 'to'>): Result {
  const own = (measured.samples[of] ?? []).reduce((sum, sample) => sum + sample, 0)
  const unit: Unit = measured.unit
  return { ...measured, median: own, compared: { as: 'value', value: own, unit } }
}

/** Whether a result is within its target and its goal. */
export function verdictOf({ compared, goal, target }: Result): string {
  const isOver = (limit: number | undefined) => limit !== undefined && compared.value > limit
  if (target === undefined) {
    return ''
  }
  if (isOver(target)) {
    return 'missed'
  }
  return isOver(goal) ? 'ok, goal missed' : 'ok'
}

function medians({ samples }: Pick<Result, 'samples'>, { of, to }: { of: string; to: string }) {
  return { own: median(samples[of] ?? []), other: median(samples[to] ?? []) }
}
