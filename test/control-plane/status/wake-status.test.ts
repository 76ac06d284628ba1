import { expect, test } from 'vitest'
import {
  afterSleep,
  afterWake,
  sourceInVain,
  type Wake,
  type WakeStatus,
} from '../../../src/control-plane/status/wake-status.ts'

const NOON = Date.parse('2026-06-01T12:00:00Z')
const NEW: WakeStatus = { count: 0, recent: [], watchers: [] }
const operator = { id: '41:99', name: 'operator (process 41)' }
const other = { id: '42:99', name: 'operator (process 42)' }

/** The status after wakes at these minutes; each was followed by a sleep. */
function wokenAt(
  minutes: readonly number[],
  { hasWrites = false, source = operator } = {},
  before: WakeStatus = NEW,
): WakeStatus {
  return minutes.reduce(
    (status, minute) =>
      afterSleep(afterWake(status, wakeAt(minute, source)), { hasWrites, watchers: [] }),
    before,
  )
}

function wakeAt(minute: number, source = operator): Wake {
  return { at: at(minute), ms: 2000, source }
}

function at(minute: number): Date {
  return new Date(NOON + minute * 60_000)
}

test('keeps the last ten wakes, and counts all', () => {
  const { count, recent } = wokenAt(Array.from({ length: 14 }, (_, index) => index))

  expect(count).toBe(14)
  expect(recent.map((wake) => wake.at)).toEqual(
    Array.from({ length: 10 }, (_, index) => at(index + 4)),
  )
})

test('forgets with a wake who watched, and that it was to stay awake', () => {
  const before = { ...NEW, watchers: [operator], staysAwake: { since: at(0), reason: 'why' } }

  const status = afterWake(before, wakeAt(1))

  expect(status).toEqual({ count: 1, recent: [wakeAt(1)], watchers: [] })
})

test('finds a client that woke it three times within an hour and wrote nothing', () => {
  expect(sourceInVain(wokenAt([0, 20, 40]), at(50))).toEqual(operator)
  // The third wake is not over yet.
  expect(sourceInVain(afterWake(wokenAt([0, 20]), wakeAt(40)), at(50))).toEqual(operator)
})

test.for([
  ['only two of them', wokenAt([20, 40])],
  ['the first is longer ago', wokenAt([-20, 20, 40])],
  ['another client', wokenAt([40], { source: other }, wokenAt([0, 20]))],
  ['writes after one of them', wokenAt([40], { hasWrites: true }, wokenAt([0, 20]))],
] as const)('finds none: %s', ([, status]) => {
  expect(sourceInVain(status, at(50))).toBeUndefined()
})

test('does not count the writes after a later start to an earlier wake', () => {
  const status = afterSleep(wokenAt([0, 20, 40]), { hasWrites: true, watchers: [] })

  expect(sourceInVain(status, at(50))).toEqual(operator)
})
