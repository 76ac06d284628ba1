/** The middle of the samples; the mean of the two in the middle when their number is even. */
export function median(samples: readonly number[]): number {
  const sorted = inOrder(samples)
  const middle = sorted.length >> 1
  const [upper = Number.NaN, lower = upper] = [sorted[middle], sorted[middle - 1]]
  return sorted.length % 2 === 1 ? upper : (lower + upper) / 2
}

/** The smallest sample that at least this share of all samples does not exceed: 0.99 for p99. */
export function quantile(samples: readonly number[], share: number): number {
  return inOrder(samples)[Math.max(Math.ceil(samples.length * share), 1) - 1] ?? Number.NaN
}

function inOrder(samples: readonly number[]): number[] {
  return [...samples].sort((left, right) => left - right)
}
