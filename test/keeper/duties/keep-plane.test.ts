import { expect, test } from 'vitest'
import { keepPlane } from '../../../src/keeper/duties/keep-plane.ts'

const START = new Date('2026-06-01T12:00:00Z')
const FAILS = 'the host does not answer'

test('retries a failed duty within at most ten seconds, then runs it when it asks', async () => {
  const fails = [true, false, true, true, true, true, true, true, false]
  const { lines, pauses } = await keep(fails)

  expect(pauses).toEqual([1000, 3000, 1000, 2000, 4000, 8000, 10_000, 10_000, 3000])
  // Once for each time that it begins to fail.
  expect(lines).toEqual([`error: ${FAILS}`, `error: ${FAILS}`])
})

/** Runs a duty that fails as given, and else asks for the next run in 3 s. */
async function keep(fails: readonly boolean[]) {
  const stop = new AbortController()
  const pauses: number[] = []
  const lines: string[] = []
  let runs = 0
  const reconcile = async () => {
    runs += 1
    if (fails[runs - 1] === true) {
      throw new Error(FAILS)
    }
    return new Date(START.getTime() + 3000)
  }
  await keepPlane([{ reconcile }], {
    now: () => START,
    log: (line) => lines.push(line),
    signal: stop.signal,
    sleep: async (ms) => {
      pauses.push(ms)
      if (runs === fails.length) {
        stop.abort()
      }
    },
  })
  return { lines, pauses }
}
