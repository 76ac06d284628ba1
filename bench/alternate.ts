/**
 * Measures several things by turns, so that whatever else the machine does hits all of them: in the order given, and in
 * the reverse order in every other round.
 *
 * @returns the samples of each, in the order they were taken.
 */
export async function alternate<Name extends string>(
  rounds: number,
  measures: Record<Name, (round: number) => Promise<number>>,
): Promise<Record<Name, number[]>>
// Object.entries knows no key types: the overload above says what the keys are.
export async function alternate(
  rounds: number,
  measures: Record<string, (round: number) => Promise<number>>,
): Promise<Record<string, number[]>> {
  const entries = Object.entries(measures)
  const samples: Record<string, number[]> = Object.fromEntries(entries.map(([name]) => [name, []]))
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, measure] of round % 2 === 0 ? entries : entries.toReversed()) {
      samples[name]?.push(await measure(round))
    }
  }
  return samples
}
