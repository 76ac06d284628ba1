import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { idleClock } from '../../../src/tunnel/process/serve-tunnel.ts'
import { watchSleep } from '../../../src/tunnel/process/sleep-watch.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('reports a tunnel as idle that was never used', () => {
  const onIdle = vi.fn<() => void>()
  using _ = idleClock(1000, onIdle)

  vi.advanceTimersByTime(999)
  expect(onIdle).not.toHaveBeenCalled()
  vi.advanceTimersByTime(1)
  expect(onIdle).toHaveBeenCalledOnce()
})

test('counts from the moment when no connection is left', () => {
  const onIdle = vi.fn<() => void>()
  using clock = idleClock(1000, onIdle)
  vi.advanceTimersByTime(500)

  clock.count(1)
  vi.advanceTimersByTime(5000)
  clock.count(0)
  vi.advanceTimersByTime(999)
  expect(onIdle).not.toHaveBeenCalled()
  vi.advanceTimersByTime(1)

  expect(onIdle).toHaveBeenCalledOnce()
})

test('accepts a time that exceeds the limit of timers', () => {
  const onIdle = vi.fn<() => void>()
  using _ = idleClock(Number.MAX_SAFE_INTEGER, onIdle)

  vi.advanceTimersByTime(24 * 3_600_000)

  expect(onIdle).not.toHaveBeenCalled()
})

test('is silent when it is disposed', () => {
  const onIdle = vi.fn<() => void>()
  idleClock(1000, onIdle)[Symbol.dispose]()

  vi.advanceTimersByTime(2000)

  expect(onIdle).not.toHaveBeenCalled()
})

test('notices that the machine slept', () => {
  const clock = fakeClock()
  const onWake = vi.fn<() => void>()
  using _ = watchSleep({ onWake, now: clock.now })
  clock.pass(5000)

  clock.sleep(3_600_000)
  clock.pass(5000)
  expect(onWake).toHaveBeenCalledOnce()
  clock.pass(60_000)

  expect(onWake).toHaveBeenCalledOnce()
})

test('does not take a busy machine or a clock that is set back for sleep', () => {
  const clock = fakeClock()
  const onWake = vi.fn<() => void>()
  using _ = watchSleep({ onWake, now: clock.now })

  clock.sleep(14_000)
  clock.pass(5000)
  clock.sleep(-3_600_000)
  clock.pass(5000)

  expect(onWake).not.toHaveBeenCalled()
})

/** A clock on the wall that continues while timers sleep. */
function fakeClock() {
  let sleptMs = 0
  const startedAt = Date.now()
  return {
    now: () => startedAt + sleptMs + performance.now(),
    pass: (milliseconds: number) => vi.advanceTimersByTime(milliseconds),
    sleep: (milliseconds: number) => {
      sleptMs += milliseconds
    },
  }
}
