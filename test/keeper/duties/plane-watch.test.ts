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

/** A watch over figures that a test sets. */
function watched(stored: readonly PlaneAlarm[] = []) {
  const world = new World(stored)
  return { world, observe: (...figures: Array<PlaneFigures | undefined>) => world.observe(figures) }
}

class World {
  time = START
  readonly reported: string[] = []
  published: readonly PlaneAlarm[]
  watch: PlaneWatch
  /** Whether someone changes the plane. */
  isChanging = () => false
  figures: PlaneFigures | undefined = WELL

  constructor(stored: readonly PlaneAlarm[]) {
    this.published = stored
    this.watch = this.#start()
  }

  restart(): void {
    this.watch = this.#start()
  }

  /** Reconciles once for each of the figures, and returns all reports so far. */
  async observe(figures: ReadonlyArray<PlaneFigures | undefined>): Promise<string[]> {
    for (const one of figures) {
      this.figures = one
      this.time += 3000
      await this.watch.reconcile(signal)
    }
    return this.reported
  }

  #start(): PlaneWatch {
    return new PlaneWatch('dev', {
      measure: () => Promise.resolve(this.figures),
      isChanging: () => Promise.resolve(this.isChanging()),
      board: {
        read: () => Promise.resolve(this.published),
        write: (alarms) => {
          this.published = alarms
          return Promise.resolve()
        },
      },
      report: ({ level, message, reason }) => this.reported.push(`${level} ${reason}: ${message}`),
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
const RESOLVED = 'normal ComponentReady: resolved: kube-apiserver: 0 of 1 pods pass their probes'

test('reports once that a component has stopped working, and once that it is back', async () => {
  const { observe } = watched()

  expect(await observe(WELL, DOWN, DOWN, DOWN, WELL, WELL)).toEqual([FAILED, RESOLVED])
})

test('measures often enough to report within ten seconds', async () => {
  const { world } = watched()

  expect((await world.watch.reconcile(signal)).getTime() - START).toBeLessThanOrEqual(3000)
})

test('gives a component that has never worked time to start', async () => {
  const { observe, world } = watched()

  expect(await observe(DOWN)).toEqual([])
  world.time += 60_000
  expect(await observe(DOWN)).toEqual([FAILED])
})

test('continues after a restart without reporting again', async () => {
  const { observe, world } = watched()
  await observe(WELL, DOWN)

  world.restart()

  expect(await observe(DOWN, WELL)).toEqual([FAILED, RESOLVED])
})

test('drops the alarms of a paused plane without a report', async () => {
  const { observe, world } = watched()

  expect(await observe(WELL, DOWN, undefined)).toEqual([FAILED])
  expect(world.published).toEqual([])
  expect(world.watch.metrics()).toBe('')
})

test('gives a resumed plane time to start', async () => {
  const { observe, world } = watched()
  await observe(WELL)
  world.time += 60_000

  expect(await observe(undefined, DOWN)).toEqual([])
  world.time += 60_000
  expect(await observe(DOWN)).toEqual([FAILED])
})

test('reports nothing that stops for a moment during a change', async () => {
  const { observe, world } = watched()
  await observe(WELL)

  world.isChanging = () => true
  expect(await observe(DOWN, DOWN, WELL, DOWN, WELL)).toEqual([])
  world.isChanging = () => false
  expect(await observe(WELL)).toEqual([])
})

test('gives what a change stopped a minute to come back, also after the change', async () => {
  const { observe, world } = watched()
  await observe(WELL)
  world.isChanging = () => true
  await observe(DOWN)

  world.isChanging = () => false
  expect(await observe(DOWN, DOWN)).toEqual([])
  world.time += 60_000
  expect(await observe(DOWN, WELL)).toEqual([FAILED, RESOLVED])
  expect(await observe(DOWN)).toEqual([FAILED, RESOLVED, FAILED])
})

test('reports what is down for more than a minute during a change', async () => {
  const { observe, world } = watched()
  await observe(WELL)
  world.isChanging = () => true

  expect(await observe(DOWN)).toEqual([])
  world.time += 60_000
  expect(await observe(DOWN, DOWN, WELL)).toEqual([FAILED, RESOLVED])
})

test('keeps the alarms from before a change', async () => {
  const { observe, world } = watched()
  await observe(WELL, DOWN)
  world.isChanging = () => true

  expect(await observe(DOWN, WELL)).toEqual([FAILED, RESOLVED])
})

test('measures again when a change ends while it measures', async () => {
  const { observe, world } = watched()
  await observe(WELL)
  world.isChanging = () => {
    world.figures = WELL
    return false
  }

  expect(await observe(DOWN)).toEqual([])
})

test('reports alarms of etcd, and keeps them while etcd has no majority', async () => {
  const { observe } = watched()
  const full = withEtcd({ alarms: ['NOSPACE'] })
  const silent = withEtcd({ isWorking: false })
  const { etcd: _, ...unknown } = full

  const reported = await observe(full, silent, unknown, full, withEtcd({ alarms: [] }))

  expect(reported).toHaveLength(2)
  expect(reported[0]).toContain('warning EtcdNoSpace: the database of etcd-0 is full')
  expect(reported[1]).toContain('normal EtcdHasSpace: resolved: the database of etcd-0 is full')
})

test('reports a database past 80 % of its quota once while it varies there', async () => {
  const { observe } = watched()

  expect(await observe(filled(80))).toEqual([])
  expect(await observe(filled(81), filled(78), filled(81), filled(75))).toEqual([
    'warning EtcdNearQuota: the database of etcd-0 exceeds 80 % of its quota of 100 bytes',
    'normal EtcdHasRoom: resolved: the database of etcd-0 exceeds 80 % of its quota of 100 bytes',
  ])
})

test('reports all certificates that expire within 30 days together', async () => {
  const { observe } = watched()
  const expiresAt = (days: number) => new Date(START + days * DAY_MS)
  const certificates = [
    { name: 'apiserver', expiresAt: expiresAt(29) },
    { name: 'ca', expiresAt: expiresAt(31) },
    { name: 'etcd/server', expiresAt: expiresAt(20) },
    { name: 'sa' },
  ]

  const reported = await observe({ ...WELL, certificates }, { ...WELL, certificates })

  expect(reported).toEqual([
    'warning CertificatesEnding: these expire within 30 days, the first one 2026-01-21T00:00:00.000Z: apiserver, etcd/server',
  ])
})

test('reports an overdue backup', async () => {
  const { observe } = watched()
  const due = (at: number) => ({ ...WELL, backup: { nextAt: new Date(at) } })

  expect(await observe(due(START), due(START - 16 * 60_000))).toEqual([
    'warning BackupOverdue: a backup was due 2025-12-31T23:44:00.000Z, and is missing',
  ])
})

test('serves components and alarms as metrics', async () => {
  const { observe, world } = watched()
  await observe(WELL, DOWN)

  const text = world.watch.metrics()

  expect(text).toContain('vplane_component_up{plane="dev",component="kube-apiserver"} 0\n')
  expect(text).toContain(
    'vplane_alarm{plane="dev",reason="ComponentNotReady",subject="kube-apiserver"} 1\n',
  )
})

test('reports once that renewal fails, keeps the alarm while it is unknown, and reports that it works', async () => {
  const { observe, world } = watched()
  const failing = { ...WELL, renewal: { failure: 'keys are gone' } }

  expect(await observe(failing, failing)).toEqual([
    'warning RenewalFailed: certificates cannot be renewed: keys are gone',
  ])
  world.restart()
  expect(await observe(WELL)).toHaveLength(1)
  expect(await observe({ ...WELL, renewal: {} })).toEqual([
    'warning RenewalFailed: certificates cannot be renewed: keys are gone',
    'normal RenewalWorks: resolved: certificates cannot be renewed: keys are gone',
  ])
})
