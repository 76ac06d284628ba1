/** Numbers from 0 to 1, the same ones for the same seed: https://en.wikipedia.org/wiki/Xorshift */
export function randomNumbers(seed: number): () => number {
  let state = seed || 1
  return () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) / 2 ** 32
  }
}

/** One of some values. @throws {Error} without any */
export function oneOf<T>(values: readonly T[], random: () => number): T {
  const [found] = values.slice(Math.floor(random() * values.length))
  if (found === undefined) {
    throw new Error('there is nothing to choose from')
  }
  return found
}
