/** Steps with their numbers, as proposals show them. */
export function numbered(steps: readonly string[]): string[] {
  return steps.map((step, index) => `${index + 1}. ${step}`)
}
