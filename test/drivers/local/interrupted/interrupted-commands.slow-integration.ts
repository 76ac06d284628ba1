import { expect, test } from 'vitest'
import { afterInterruption, COMMANDS, type LocalTriple, stepsOf } from './interrupted-machine.ts'

const NAMES = Object.keys(COMMANDS)

/** Of how many triples one is tried (`npm run soak:interruptions` tries all). */
const EVERY = process.env['VPLANE_TRIPLES'] === 'all' ? 1 : 5

test.for(NAMES)('%s can be killed at any step, and any command may follow', async (command) => {
  const steps = await stepsOf(command)
  const all: LocalTriple[] = Array.from({ length: steps }, (_, index) =>
    NAMES.map((next) => ({ command, step: index + 1, next })),
  ).flat()
  const triples = all.filter((_, index) => index % EVERY === 0)
  const failures: string[] = []
  for (const triple of triples) {
    try {
      await afterInterruption(triple)
    } catch (error) {
      failures.push(`step ${triple.step}, then ${triple.next}: ${String(error)}`)
    }
  }
  process.stdout.write(`${triples.length} of ${all.length} triples of ${command} ran\n`)

  expect(failures).toEqual([])
})
