import { expect, test } from 'vitest'
import { afterInterruption } from './after-interruption.ts'
import { INTERRUPTIONS, triplesOf } from './interruptions.ts'

/** How many run beside each other: for a small part of their time they wait. */
const BESIDE = 3

/** Of how many triples one is tried: all of them take half an hour (`npm run soak:interruptions`). */
const EVERY = process.env['VPLANE_TRIPLES'] === 'all' ? 1 : 8

test.for(INTERRUPTIONS)(
  '$command can be killed before any write, and any command may follow ($userSpec)',
  async (interruption) => {
    const all = await triplesOf(interruption)
    const triples = all.filter((_, index) => index % EVERY === 0)
    const left = [...triples]
    const failures: string[] = []
    const work = async () => {
      for (let next = left.pop(); next !== undefined; next = left.pop()) {
        try {
          await afterInterruption(next)
        } catch (error) {
          failures.push(`write ${next.writes}, then ${next.next}: ${String(error)}`)
        }
      }
    }
    await Promise.all(Array.from({ length: BESIDE }, work))
    process.stdout.write(
      `${triples.length} of ${all.length} triples of ${interruption.command} ran\n`,
    )

    expect(failures).toEqual([])
  },
)
