import { expect, test } from 'vitest'
import { afterInterruption } from './after-interruption.ts'
import { INTERRUPTIONS, triplesOf } from './interruptions.ts'

/** So many triples of each command are tried here; the slow file tries more, and the soak test all. */
const TRIED = 4

// A plane in memory, or with an idle time, has a keeper, whose program is built only for the slow file.
const WITHOUT_KEEPER = INTERRUPTIONS.filter(
  ({ userSpec }) => userSpec.ephemeral !== true && userSpec.idle === undefined,
)

test.for(WITHOUT_KEEPER)(
  '$command can be killed before any write, and any command may follow ($userSpec)',
  { timeout: 60_000 },
  async (interruption) => {
    const triples = await triplesOf(interruption)
    const every = Math.ceil(triples.length / TRIED)
    const tried = triples.filter((_, index) => index % every === 0)

    expect(tried.length).toBeGreaterThan(TRIED / 2)
    for (const triple of tried) {
      await afterInterruption(triple)
    }
  },
)
