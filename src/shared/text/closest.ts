/** The candidate that the user most likely meant with `word`; undefined when none is similar. */
export function closestTo(word: string, candidates: readonly string[]): string | undefined {
  const lower = word.toLowerCase()
  const [best] = candidates
    .map((candidate) => ({ candidate, distance: distanceOf(lower, candidate.toLowerCase()) }))
    .filter(
      ({ candidate, distance }) =>
        distance <= Math.max(1, Math.floor(Math.min(word.length, candidate.length) / 2)),
    )
    .sort((one, other) => one.distance - other.distance)
  return best?.candidate
}

/** The number of letters to change, add, remove or swap with their neighbour; a common beginning counts as one. */
function distanceOf(word: string, candidate: string): number {
  if (word.length >= 3 && candidate.startsWith(word)) {
    return 1
  }
  const rows: number[][] = [Array.from({ length: candidate.length + 1 }, (_, index) => index)]
  const at = (row: number, column: number) => rows[row]?.[column] ?? 0
  for (let row = 1; row <= word.length; row++) {
    rows.push([row])
    for (let column = 1; column <= candidate.length; column++) {
      const isSame = word[row - 1] === candidate[column - 1]
      const isSwap =
        word[row - 1] === candidate[column - 2] && word[row - 2] === candidate[column - 1]
      rows[row]?.push(
        Math.min(
          at(row - 1, column) + 1,
          at(row, column - 1) + 1,
          at(row - 1, column - 1) + (isSame ? 0 : 1),
          row > 1 && column > 1 && isSwap ? at(row - 2, column - 2) + 1 : Infinity,
        ),
      )
    }
  }
  return at(word.length, candidate.length)
}
