import { expect, test } from 'vitest'
import type { WakeSource, WakeStatus } from '../../../src/control-plane/status/wake-status.ts'
import { Wakes } from '../../../src/keeper/wake/wakes.ts'

const NOON = Date.parse('2026-06-01T12:00:00Z')
const QUIET = { mark: '1', isBusy: false, hasWrites: false }
const WRITTEN = { ...QUIET, hasWrites: true }

const dev = { id: '1', name: 'dev' }
const poller: WakeSource = { id: '7:12', name: 'poller (process 7)' }
const ended: WakeSource = { id: '41:99', name: 'kubectl (process 41)' }

class World {
  seconds = 0
  /** How far the clock was set. */
  setBy = 0
  boards = new Map<string, WakeStatus>()
  reads = 0
  clients: Array<WakeSource | undefined> = []
  events: string[] = []
  wakes = new Wakes({
    boardOf: ({ id }) => ({
      read: async () => {
        this.reads += 1
        return this.board(id)
      },
      write: async (status) => void this.boards.set(id, status),
    }),
    clientsOf: async () => this.clients,
    isPresent: ({ id }) => id !== ended.id,
    report: ({ name }, { message, reason }) => this.events.push(`${name}: ${reason}: ${message}`),
    now: () => this.now,
    elapsedMs: () => this.seconds * 1000,
  })

  get now(): Date {
    return new Date(NOON + (this.seconds + this.setBy) * 1000)
  }

  board(id = dev.id): WakeStatus {
    return this.boards.get(id) ?? { count: 0, recent: [], watchers: [] }
  }

  /** Whether the plane falls asleep. */
  async sleeps(use = QUIET): Promise<boolean> {
    const fallAsleep = await this.wakes.mayFallAsleep(dev, use)
    await fallAsleep?.()
    return fallAsleep !== undefined
  }

  async wake(source: WakeSource): Promise<void> {
    await this.wakes.admit(dev, source)
    await this.wakes.woken(dev, { at: this.now, ms: 2140, source, serverName: 'dev.example' })
  }
}

test('records who woke a plane, how it was named, and how long that took', async () => {
  const world = new World()

  await world.wake(ended)

  expect(world.events).toEqual(['dev: Woken: by kubectl (process 41) as dev.example, in 2.1s'])
  expect(world.board()).toMatchObject({ count: 1, recent: [{ source: ended, ms: 2140 }] })
  expect(world.wakes.known(dev)).toEqual(world.board())
})

test('is not woken again by a client that only watched when it fell asleep', async () => {
  const world = new World()
  world.clients = [poller]
  expect(await world.sleeps()).toBe(true)

  await expect(world.wakes.admit(dev, poller)).rejects.toThrow('it only watched')
  await expect(world.wakes.admit(dev, poller)).rejects.toThrow('it only watched')

  expect(world.events).toEqual([
    'dev: WakeRefused: poller (process 7): it only watched when the control plane was paused',
  ])
  await world.wakes.admit(dev, ended)
})

test('reports twenty refusals of a plane until it wakes, however many clients come', async () => {
  const world = new World()
  const watchers = Array.from({ length: 30 }, (_, index) => ({ id: `${index}`, name: `${index}` }))
  world.boards.set(dev.id, { ...world.board(), watchers })

  for (const watcher of watchers) {
    await expect(world.wakes.admit(dev, watcher)).rejects.toThrow('it only watched')
  }

  expect(world.events).toHaveLength(20)
})

test('stays awake while clients are connected that cannot be told apart', async () => {
  const world = new World()
  world.clients = [undefined]

  expect(await world.sleeps()).toBe(false)
  expect(await world.sleeps()).toBe(false)
  expect(world.events).toEqual([
    'dev: StaysAwake: programs are connected to it that vplane cannot tell apart',
  ])
  expect(world.board().staysAwake?.since).toEqual(world.now)

  world.clients = []
  expect(await world.sleeps()).toBe(true)
  expect(world.board().staysAwake).toBeUndefined()
})

test('stays awake for a client that woke it three times and wrote nothing', async () => {
  const world = new World()
  const sleepsAfter = async (use = QUIET) => {
    await world.wake(poller)
    world.seconds += 60
    return world.sleeps(use)
  }

  expect([await sleepsAfter(), await sleepsAfter(), await sleepsAfter()]).toEqual([
    true,
    true,
    false,
  ])
  expect(world.board().staysAwake?.reason).toBe(
    'poller (process 7) woke it three times within an hour and wrote nothing',
  )
  // It stays awake after this hour, too, until something is written.
  world.seconds += 7200
  expect(await world.sleeps()).toBe(false)
  expect(await world.sleeps(WRITTEN)).toBe(true)
})

test('counts what a client writes after a pause that was given up', async () => {
  const world = new World()
  for (let count = 0; count < 3; count += 1) {
    await world.wake(poller)
    await world.wakes.mayFallAsleep(dev, QUIET)
    expect(await world.sleeps(WRITTEN)).toBe(true)
  }

  expect(world.board().recent.map(({ hasWrites }) => hasWrites)).toEqual([true, true, true])
})

test('falls asleep again when a client that woke it in vain has ended', async () => {
  const world = new World()
  for (let count = 0; count < 3; count += 1) {
    await world.wake(ended)
    expect(await world.sleeps()).toBe(true)
  }
})

test('does not start a plane for clients soon after its start has failed, and waits longer each time', async () => {
  const world = new World()
  const waitsFor = async (seconds: number) => {
    world.wakes.failed(dev, ended, 'no disk')
    world.seconds += seconds - 1
    await expect(world.wakes.admit(dev, ended)).rejects.toThrow('its last start has failed')
    world.seconds += 1
    await world.wakes.admit(dev, ended)
  }

  await waitsFor(10)
  await waitsFor(20)
  await waitsFor(40)

  expect(world.events).toContain('dev: WakeFailed: by kubectl (process 41): no disk')
})

test('does not let one client wake more than thirty planes within ten minutes', async () => {
  const world = new World()
  const planes = Array.from({ length: 31 }, (_, index) => ({ id: `${index}`, name: `p${index}` }))
  for (const plane of planes.slice(1)) {
    await world.wakes.admit(plane, ended)
  }

  await expect(world.wakes.admit(dev, ended)).rejects.toThrow('it has woken 30 control planes')

  await world.wakes.admit(dev, { ...ended, id: '42:99' })
  world.seconds += 600
  await world.wakes.admit(dev, ended)
})

test('reads nothing for a client that has woken too many planes, and once for others of one plane', async () => {
  const world = new World()
  const planes = Array.from({ length: 30 }, (_, index) => ({ id: `p${index}`, name: `p${index}` }))
  for (const plane of planes) {
    await world.wakes.admit(plane, ended)
  }
  world.reads = 0

  for (let count = 0; count < 10; count += 1) {
    await expect(world.wakes.admit(dev, ended)).rejects.toThrow('it has woken 30')
  }
  expect(world.reads).toBe(0)

  world.boards.set(dev.id, { ...world.board(), watchers: [poller] })
  for (let count = 0; count < 10; count += 1) {
    await expect(world.wakes.admit(dev, poller)).rejects.toThrow('it only watched')
  }
  expect(world.reads).toBe(1)
})

test('refuses no client for longer, and lets a plane sleep, when the clock is set back', async () => {
  const world = new World()
  const sources = [1, 2, 3].map((second) => ({
    source: poller,
    at: new Date(+world.now + second * 1000),
    ms: 2140,
  }))
  const staysAwake = { since: world.now, reason: 'it woke it in vain', source: poller }
  world.boards.set(dev.id, { count: 3, recent: sources, watchers: [], staysAwake })
  world.wakes.failed(dev, ended, 'no disk')

  world.setBy = -86_400
  world.seconds += 11
  await world.wakes.admit(dev, ended)

  expect(await world.sleeps()).toBe(true)
  expect(world.board().staysAwake).toBeUndefined()
})

test('records the wake that has begun when it ends, with its time until then', async () => {
  const world = new World()
  world.wakes.begin(dev, { at: world.now, source: poller })
  world.seconds += 4

  await world.wakes.ended(dev)
  await world.wakes.ended(dev)

  expect(world.events).toEqual(['dev: Woken: by poller (process 7), in 4.0s'])
  expect(world.board().count).toBe(1)
})

test('lets ten planes of a namespace start at once, and others when these are ready, or never get so', async () => {
  const world = new World()
  const planes = Array.from({ length: 10 }, (_, index) => ({ id: `${index}`, name: `p${index}` }))
  const other = { id: 'other', name: 'other' }
  for (const plane of planes) {
    world.wakes.begin(plane, { at: world.now, source: poller })
  }

  await expect(world.wakes.admit(other, ended)).rejects.toThrow('10 others start')
  await world.wakes.admit({ ...other, namespace: 'another' }, ended)
  await world.wakes.ended({ id: '1', name: 'p1' })
  await world.wakes.admit(other, ended)
  world.wakes.begin(other, { at: world.now, source: ended })

  await expect(world.wakes.admit(dev, ended)).rejects.toThrow('10 others start')
  world.seconds += 120
  await world.wakes.admit(dev, ended)
})
