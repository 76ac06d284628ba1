/** The middle of the samples; the mean of the two in the middle when their number is even. */
export function median(samples: readonly number[]): number {
  const sorted = [...samples].sort((left, right) => left - right)
  const middle = sorted.length >> 1
  const [upper = Number.NaN, lower = upper] = [sorted[middle], sorted[middle - 1]]
  return sorted.length % 2 === 1 ? upper : (lower + upper) / 2
}
