import { expect, test } from 'vitest'
import type { IdleStatus } from '../../../src/control-plane/status/idle-record.ts'
import type { IdlePause } from '../../../src/control-plane/driver/requests.ts'
import { PauseWhenIdle } from '../../../src/keeper/duties/pause-when-idle.ts'
import type { PlaneUse } from '../../../src/keeper/duties/plane-use.ts'

const MINUTE_MS = 60_000
const NOON = Date.parse('2026-06-01T12:00:00Z')
const NEVER = new AbortController().signal

/** A plane that pauses itself after half an hour, and what its keeper does over time. */
class World {
  minutes = 0
  use: PlaneUse | undefined = { mark: '1', isBusy: false }
  board: IdleStatus = {}
  writes = 0
  pauses: IdlePause[] = []
  events: string[] = []
  isGone = false
  /** What happens while the plane is being held. */
  meanwhile = () => {}

  keeper(): PauseWhenIdle {
    return new PauseWhenIdle(
      { name: 'dev', idleMs: 30 * MINUTE_MS },
      {
        readUse: async () => this.use,
        board: {
          read: async () => this.board,
          write: async (status) => {
            this.writes += 1
            this.board = status
          },
        },
        pause: async (idle) => {
          this.meanwhile()
          if (this.use === undefined || (await idle.isStill())) {
            this.pauses.push(idle)
            this.use = undefined
            // As the pod of a keeper that ends with its plane.
            this.isGone = true
          }
        },
        report: ({ message, reason }) => {
          if (!this.isGone) {
            this.events.push(`${reason}: ${message}`)
          }
        },
        now: () => this.now(),
      },
    )
  }

  now(): Date {
    return at(this.minutes)
  }

  /** PlaneObserver once a minute, up to this one, and says when it was paused. */
  async lookUntil(minutes: number, keeper = this.keeper()): Promise<number | undefined> {
    for (; this.minutes <= minutes; this.minutes += 1) {
      await keeper.look(NEVER)
      if (this.pauses.length > 0) {
        return this.minutes
      }
    }
    return undefined
  }
}

test('pauses a plane that nobody uses, and says since when', async () => {
  const world = new World()

  expect(await world.lookUntil(60)).toBe(30)
  expect(world.pauses).toMatchObject([{ since: at(0) }])
  expect(world.events).toEqual([
    'PausedWhenIdle: nobody has used it since 2026-06-01T12:00:00.000Z',
  ])
})

test('begins anew whenever it is used', async () => {
  const world = new World()
  const keeper = world.keeper()
  await world.lookUntil(25, keeper)
  world.use = { mark: '2', isBusy: false }

  expect(await world.lookUntil(90, keeper)).toBe(26 + 30)
})

test('keeps a plane that somebody is busy in', async () => {
  const world = new World()
  world.use = { mark: '1', isBusy: true }

  expect(await world.lookUntil(90)).toBeUndefined()
})

test('goes on where another keeper was, and takes what that one did not see for use', async () => {
  const world = new World()
  await world.lookUntil(20)
  expect(await world.lookUntil(60, world.keeper())).toBe(30)

  const other = new World()
  await other.lookUntil(20)
  other.use = { mark: '2', isBusy: false }
  expect(await other.lookUntil(90, other.keeper())).toBe(21 + 30)
})

test('writes down a tenth of what it sees', async () => {
  const world = new World()
  const keeper = world.keeper()
  for (; world.minutes < 30; world.minutes += 1) {
    world.use = { mark: String(world.minutes), isBusy: false }
    await keeper.look(NEVER)
  }

  expect(world.writes).toBe(10)
  expect(keeper.metrics()).toContain(
    `vplane_last_used_timestamp_seconds{plane="dev"} ${at(29).getTime() / 1000}\n`,
  )
})

test('leaves a plane that is used in the last moment', async () => {
  const world = new World()
  world.meanwhile = () => {
    world.use = { mark: '2', isBusy: false }
    world.meanwhile = () => {}
  }

  expect(await world.lookUntil(90)).toBe(31 + 30)
  expect(world.events).toHaveLength(1)
})

test('goes on with what another keeper did not finish, and leaves what that one said', async () => {
  const world = new World()
  world.board = { usedAt: at(-30), mark: '1' }
  world.use = undefined

  await world.keeper().look(NEVER)

  expect(world.pauses).toMatchObject([{ since: at(-30) }])
  expect(world.events).toEqual([])
})

test('does not believe a clock ahead of its own', async () => {
  const world = new World()
  world.board = { usedAt: at(600), mark: '1' }

  expect(await world.lookUntil(60)).toBe(30)
})

test.for([
  ['an hour', 60, 60_000],
  ['ten seconds', 1 / 6, 1000],
] as const)(
  'looks often enough at a plane that pauses itself after %s',
  async ([, minutes, ms]) => {
    const world = new World()
    const keeper = new PauseWhenIdle(
      { name: 'dev', idleMs: minutes * MINUTE_MS },
      {
        readUse: async () => world.use,
        board: { read: async () => ({}), write: async () => {} },
        pause: async () => {},
        report: () => {},
        now: () => at(0),
      },
    )

    expect((await keeper.look(NEVER)).getTime() - NOON).toBe(ms)
  },
)

function at(minutes: number): Date {
  return new Date(NOON + minutes * MINUTE_MS)
}
