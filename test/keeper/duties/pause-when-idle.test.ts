import { expect, test } from 'vitest'
import type { IdleStatus } from '../../../src/control-plane/status/keeper-records.ts'
import type { IdlePause } from '../../../src/control-plane/driver/requests.ts'
import { PauseWhenIdle } from '../../../src/keeper/duties/pause-when-idle.ts'
import type { PlaneUse } from '../../../src/keeper/duties/plane-use.ts'

const MINUTE_MS = 60_000
const NOON = Date.parse('2026-06-01T12:00:00Z')
const NEVER = new AbortController().signal

function use(mark: string, isBusy = false): PlaneUse {
  return { mark, isBusy, hasWrites: false }
}

/** A plane that is paused after half an hour, unless its keeper is told otherwise. */
class World {
  minutes = 0
  use: PlaneUse | undefined = use('1')
  board: IdleStatus = {}
  writes = 0
  pauses: IdlePause[] = []
  events: string[] = []
  isDeleted = false
  mayFallAsleep = true
  /** How often it was recorded that the plane is paused. */
  sleeps = 0
  /** Called while the plane is held. */
  meanwhile = () => {}

  keeper(idleMinutes = 30): PauseWhenIdle {
    return new PauseWhenIdle(
      { labels: { plane: 'dev' }, idleMs: idleMinutes * MINUTE_MS },
      {
        readUse: async () => this.use,
        board: {
          read: async () => this.board,
          write: async (status) => {
            this.writes += 1
            this.board = status
          },
        },
        mayFallAsleep: async () =>
          this.mayFallAsleep ? async () => void (this.sleeps += 1) : undefined,
        pause: async (idle) => {
          this.meanwhile()
          if (this.use === undefined || (await idle.isStill())) {
            this.pauses.push(idle)
            this.use = undefined
            // The keeper's pod ends with its plane.
            this.isDeleted = true
          }
        },
        report: ({ message, reason }) => {
          if (!this.isDeleted) {
            this.events.push(`${reason}: ${message}`)
          }
        },
        now: () => at(this.minutes),
      },
    )
  }

  /** Reconciles once a minute up to this one, and returns when it paused the plane. */
  async reconcileUntil(minutes: number, keeper = this.keeper()): Promise<number | undefined> {
    for (; this.minutes <= minutes; this.minutes += 1) {
      await keeper.reconcile(NEVER)
      if (this.pauses.length > 0) {
        return this.minutes
      }
    }
    return undefined
  }
}

test('pauses a plane that nobody uses, and reports since when', async () => {
  const world = new World()

  expect(await world.reconcileUntil(60)).toBe(30)
  expect(world.pauses).toMatchObject([{ since: at(0) }])
  const event = 'PausedWhenIdle: nobody has used it since 2026-06-01T12:00:00.000Z'
  expect(world.events).toEqual([event])
})

test('starts again whenever the plane is used', async () => {
  const world = new World()
  const keeper = world.keeper()
  await world.reconcileUntil(25, keeper)
  world.use = use('2')

  expect(await world.reconcileUntil(90, keeper)).toBe(26 + 30)
})

test('does not pause a busy plane', async () => {
  const world = new World()
  world.use = use('1', true)

  expect(await world.reconcileUntil(90)).toBeUndefined()
})

test('does not pause a plane that is to stay awake, until it may', async () => {
  const world = new World()
  const keeper = world.keeper()
  world.mayFallAsleep = false
  expect(await world.reconcileUntil(60, keeper)).toBeUndefined()
  expect(world.events).toEqual([])

  world.mayFallAsleep = true

  expect(await world.reconcileUntil(61, keeper)).toBe(61)
})

test('continues from the previous keeper, and detects use in between', async () => {
  const world = new World()
  await world.reconcileUntil(20)
  expect(await world.reconcileUntil(60, world.keeper())).toBe(30)

  const other = new World()
  await other.reconcileUntil(20)
  other.use = use('2')
  expect(await other.reconcileUntil(90, other.keeper())).toBe(21 + 30)
})

test('writes a tenth of the uses to the board', async () => {
  const world = new World()
  const keeper = world.keeper()
  for (; world.minutes < 30; world.minutes += 1) {
    world.use = use(String(world.minutes))
    await keeper.reconcile(NEVER)
  }

  expect(world.writes).toBe(10)
  const line = `vplane_last_used_timestamp_seconds{plane="dev"} ${at(29).getTime() / 1000}\n`
  expect(keeper.metrics()).toContain(line)
})

test('does not pause a plane that is used in the last moment, and records no pause then', async () => {
  const world = new World()
  world.meanwhile = () => {
    world.use = use('2')
    world.meanwhile = () => {}
  }

  expect(await world.reconcileUntil(90)).toBe(31 + 30)
  expect([world.events.length, world.sleeps]).toEqual([1, 1])
})

test('continues a pause of the previous keeper without another report', async () => {
  const world = new World()
  world.board = { usedAt: at(-30), mark: '1' }
  world.use = undefined

  await world.keeper().reconcile(NEVER)

  expect(world.pauses).toMatchObject([{ since: at(-30) }])
  expect(world.events).toEqual([])
})

test('ignores a time in the future', async () => {
  const world = new World()
  world.board = { usedAt: at(600), mark: '1' }

  expect(await world.reconcileUntil(60)).toBe(30)
})

test.for([
  ['an hour', 60, 60_000],
  ['ten seconds', 1 / 6, 1000],
] as const)('reads use often enough for a pause after %s', async ([, minutes, ms]) => {
  const keeper = new World().keeper(minutes)

  expect((await keeper.reconcile(NEVER)).getTime() - NOON).toBe(ms)
})

function at(minutes: number): Date {
  return new Date(NOON + minutes * MINUTE_MS)
}
