import { expect, test } from 'vitest'
import { keepPlane } from '../../../src/keeper/duties/keep-plane.ts'

const START = new Date('2026-06-01T12:00:00Z')
const FAILS = 'the host does not answer'

test('looks again within seconds after a failed look, at most ten, and then as it is told', async () => {
  const fails = [true, false, true, true, true, true, true, true, false]
  const { lines, pauses } = await keep(fails)

  expect(pauses).toEqual([1000, 3000, 1000, 2000, 4000, 8000, 10_000, 10_000, 3000])
  expect(lines).toEqual(fails.filter(Boolean).map(() => `error: ${FAILS}`))
})

/** Keeps a plane whose looks fail or not, each of which asks for the next one in 3 s. */
async function keep(fails: readonly boolean[]) {
  const stop = new AbortController()
  const pauses: number[] = []
  const lines: string[] = []
  let looks = 0
  const look = async () => {
    looks += 1
    if (fails[looks - 1] === true) {
      throw new Error(FAILS)
    }
    return new Date(START.getTime() + 3000)
  }
  await keepPlane([{ look }], {
    now: () => START,
    log: (line) => lines.push(line),
    signal: stop.signal,
    sleep: async (ms) => {
      pauses.push(ms)
      if (looks === fails.length) {
        stop.abort()
      }
    },
  })
  return { lines, pauses }
}
