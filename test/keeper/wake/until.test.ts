import { expect, test } from 'vitest'
import { intervalAfter } from '../../../src/keeper/wake/until.ts'

test('checks often at first, and rarely what does not become true', () => {
  expect(checksUntil(2000)).toBe(20)
  expect(checksUntil(600_000)).toBeLessThan(160)
  expect(intervalAfter(3_600_000)).toBe(10_000)
})

/** How many checks begin before a time of the wait, if each takes no time. */
function checksUntil(endMs: number): number {
  let checks = 0
  for (let ms = 0; ms < endMs; ms += intervalAfter(ms)) {
    checks += 1
  }
  return checks
}
