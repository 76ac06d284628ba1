/** Whether a version of vplane is later than another one, by their first three numbers. */
export function isLater(version: string, other: string): boolean {
  const [left, right] = [numbersOf(version), numbersOf(other)]
  const index = left.findIndex((number, at) => number !== right[at])
  return index !== -1 && (left[index] ?? 0) > (right[index] ?? 0)
}

function numbersOf(version: string): number[] {
  const [, ...parts] = /^(\d+)\.(\d+)\.(\d+)/.exec(version) ?? []
  return parts.map(Number)
}
