import { expect, test } from 'vitest'
import type { PlaneAlarm } from '../../../src/control-plane/status/plane-alarms.ts'
import type { PlaneFigures } from '../../../src/control-plane/status/plane-figures.ts'
import { PlaneWatch } from '../../../src/keeper/duties/plane-watch.ts'

const START = Date.parse('2026-01-01T00:00:00Z')
const DAY_MS = 24 * 3_600_000
const { signal } = new AbortController()

const WELL: PlaneFigures = {
  components: [{ name: 'kube-apiserver', isUp: true }],
  isApiReady: true,
  certificates: [],
}
const DOWN: PlaneFigures = {
  ...WELL,
  components: [{ name: 'kube-apiserver', isUp: false, reason: '0 of 1 pods pass their probes' }],
}

/** A watch over figures that a test sets, with what it told and wrote down. */
function watched(stored: readonly PlaneAlarm[] = []) {
  const world = new World(stored)
  return { world, look: (...figures: Array<PlaneFigures | undefined>) => world.look(figures) }
}

class World {
  time = START
  readonly told: string[] = []
  written: readonly PlaneAlarm[]
  watch: PlaneWatch
  /** Whether somebody works on the plane, each time that it is asked. */
  isChanging = () => false
  figures: PlaneFigures | undefined = WELL

  constructor(stored: readonly PlaneAlarm[]) {
    this.written = stored
    this.watch = this.#start()
  }

  restart(): void {
    this.watch = this.#start()
  }

  /** PlaneObserver at figures one after the other, and says what was told of them until then. */
  async look(figures: ReadonlyArray<PlaneFigures | undefined>): Promise<string[]> {
    for (const one of figures) {
      this.figures = one
      this.time += 3000
      await this.watch.look(signal)
    }
    return this.told
  }

  #start(): PlaneWatch {
    return new PlaneWatch('dev', {
      measure: () => Promise.resolve(this.figures),
      isChanging: () => Promise.resolve(this.isChanging()),
      board: {
        read: () => Promise.resolve(this.written),
        write: (alarms) => {
          this.written = alarms
          return Promise.resolve()
        },
      },
      report: ({ level, message, reason }) => this.told.push(`${level} ${reason}: ${message}`),
      now: () => new Date(this.time),
    })
  }
}

function withEtcd(member: Partial<NonNullable<PlaneFigures['etcd']>['members'][number]>) {
  const members = [{ instance: 'etcd-0', isWorking: true, isLeading: true, ...member }]
  return { ...WELL, etcd: { members } }
}
const filled = (sizeBytes: number) =>
  withEtcd({ database: { sizeBytes, inUseBytes: 1, quotaBytes: 100 }, alarms: [] })

const FAILED = 'warning ComponentNotReady: kube-apiserver: 0 of 1 pods pass their probes'
const OVER = 'normal ComponentReady: over: kube-apiserver: 0 of 1 pods pass their probes'

test('tells once that a component has stopped working, and once that it is back', async () => {
  const { look } = watched()

  expect(await look(WELL, DOWN, DOWN, DOWN, WELL, WELL)).toEqual([FAILED, OVER])
})

test('looks again in time to tell within ten seconds', async () => {
  const { world } = watched()

  expect((await world.watch.look(signal)).getTime() - START).toBeLessThanOrEqual(3000)
})

test('gives a component that has never worked the time to start', async () => {
  const { look, world } = watched()

  expect(await look(DOWN)).toEqual([])
  world.time += 60_000
  expect(await look(DOWN)).toEqual([FAILED])
})

test('goes on after a restart with what was told before', async () => {
  const { look, world } = watched()
  await look(WELL, DOWN)

  world.restart()

  expect(await look(DOWN, WELL)).toEqual([FAILED, OVER])
})

test('forgets what was wrong with a plane that rests, without a word', async () => {
  const { look, world } = watched()

  expect(await look(WELL, DOWN, undefined)).toEqual([FAILED])
  expect(world.written).toEqual([])
  expect(world.watch.metrics()).toBe('')
})

test('gives a plane that comes back from rest the time to start, as a new one', async () => {
  const { look, world } = watched()
  await look(WELL)
  world.time += 60_000

  expect(await look(undefined, DOWN)).toEqual([])
  world.time += 60_000
  expect(await look(DOWN)).toEqual([FAILED])
})

test('tells nothing of what stops for a moment while somebody works on the plane', async () => {
  const { look, world } = watched()
  await look(WELL)

  world.isChanging = () => true
  expect(await look(DOWN, DOWN, WELL, DOWN, WELL)).toEqual([])
  world.isChanging = () => false
  expect(await look(WELL)).toEqual([])
})

test('gives what a change stopped a minute to come back, also when the change is over', async () => {
  const { look, world } = watched()
  await look(WELL)
  world.isChanging = () => true
  await look(DOWN)

  world.isChanging = () => false
  expect(await look(DOWN, DOWN)).toEqual([])
  world.time += 60_000
  expect(await look(DOWN, WELL)).toEqual([FAILED, OVER])
  expect(await look(DOWN)).toEqual([FAILED, OVER, FAILED])
})

test('tells of what is down for more than a minute, though somebody works on the plane all the while', async () => {
  const { look, world } = watched()
  await look(WELL)
  world.isChanging = () => true

  expect(await look(DOWN)).toEqual([])
  world.time += 60_000
  expect(await look(DOWN, DOWN, WELL)).toEqual([FAILED, OVER])
})

test('keeps what was wrong before somebody began to work on the plane', async () => {
  const { look, world } = watched()
  await look(WELL, DOWN)
  world.isChanging = () => true

  expect(await look(DOWN, WELL)).toEqual([FAILED, OVER])
})

test('looks again when the work was done while it was looking', async () => {
  const { look, world } = watched()
  await look(WELL)
  world.isChanging = () => {
    world.figures = WELL
    return false
  }

  expect(await look(DOWN)).toEqual([])
})

test('tells of the alarms of etcd, and keeps them while no majority can be asked', async () => {
  const { look } = watched()
  const full = withEtcd({ alarms: ['NOSPACE'] })
  const silent = withEtcd({ isWorking: false })
  const { etcd: _, ...unknown } = full

  const told = await look(full, silent, unknown, full, withEtcd({ alarms: [] }))

  expect(told).toHaveLength(2)
  expect(told[0]).toContain('warning EtcdNoSpace: the database of etcd-0 is full')
  expect(told[1]).toContain('normal EtcdHasSpace: over: the database of etcd-0 is full')
})

test('tells of a database past 80 % of its quota, not each time that it goes up and down there', async () => {
  const { look } = watched()

  expect(await look(filled(80))).toEqual([])
  expect(await look(filled(81), filled(78), filled(81), filled(75))).toEqual([
    'warning EtcdNearQuota: the database of etcd-0 is past 80 % of its quota of 100 bytes',
    'normal EtcdHasRoom: over: the database of etcd-0 is past 80 % of its quota of 100 bytes',
  ])
})

test('tells of certificates that end within 30 days, all at once', async () => {
  const { look } = watched()
  const expiresAt = (days: number) => new Date(START + days * DAY_MS)
  const certificates = [
    { name: 'apiserver', expiresAt: expiresAt(29) },
    { name: 'ca', expiresAt: expiresAt(31) },
    { name: 'etcd/server', expiresAt: expiresAt(20) },
    { name: 'sa' },
  ]

  const told = await look({ ...WELL, certificates }, { ...WELL, certificates })

  expect(told).toEqual([
    'warning CertificatesEnding: these end within 30 days, the first 2026-01-21T00:00:00.000Z: apiserver, etcd/server',
  ])
})

test('tells that a backup is overdue', async () => {
  const { look } = watched()
  const due = (at: number) => ({ ...WELL, backup: { nextAt: new Date(at) } })

  expect(await look(due(START), due(START - 16 * 60_000))).toEqual([
    'warning BackupOverdue: a backup was due 2025-12-31T23:44:00.000Z, and is not done',
  ])
})

test('says as metrics how the plane works, and what is wrong with it', async () => {
  const { look, world } = watched()
  await look(WELL, DOWN)

  const text = world.watch.metrics()

  expect(text).toContain('vplane_component_up{plane="dev",component="kube-apiserver"} 0\n')
  expect(text).toContain(
    'vplane_alarm{plane="dev",reason="ComponentNotReady",subject="kube-apiserver"} 1\n',
  )
})

test('tells once that renewal fails, keeps that until it is known again, and tells that it works', async () => {
  const { look, world } = watched()
  const failing = { ...WELL, renewal: { failure: 'keys are gone' } }

  expect(await look(failing, failing)).toEqual([
    'warning RenewalFailed: certificates cannot be issued anew: keys are gone',
  ])
  world.restart()
  expect(await look(WELL)).toHaveLength(1)
  expect(await look({ ...WELL, renewal: {} })).toEqual([
    'warning RenewalFailed: certificates cannot be issued anew: keys are gone',
    'normal RenewalWorks: over: certificates cannot be issued anew: keys are gone',
  ])
})
