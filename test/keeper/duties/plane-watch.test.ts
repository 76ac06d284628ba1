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
class World {
  time = START
  readonly reported: string[] = []
  published: readonly PlaneAlarm[] = []
  /** Whether someone changes the plane. */
  isChanging = () => false
  figures: PlaneFigures | undefined = WELL
  watch = this.restart()

  restart(): PlaneWatch {
    const labels = { plane: 'dev' }
    this.watch = new PlaneWatch(labels, {
      measure: async () => this.figures,
      isChanging: async () => this.isChanging(),
      board: {
        read: async () => this.published,
        write: async (alarms) => {
          this.published = alarms
        },
      },
      report: ({ level, message, reason }) => this.reported.push(`${level} ${reason}: ${message}`),
      now: () => new Date(this.time),
    })
    return this.watch
  }

  /** Reconciles once for each of the figures, and returns all reports so far. */
  readonly observe = async (...figures: Array<PlaneFigures | undefined>): Promise<string[]> => {
    for (const one of figures) {
      this.figures = one
      this.time += 3000
      await this.watch.reconcile(signal)
    }
    return this.reported
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
  const { observe } = new World()

  expect(await observe(WELL, DOWN, DOWN, DOWN, WELL, WELL)).toEqual([FAILED, RESOLVED])
})

test('measures often enough to report within ten seconds', async () => {
  const { watch } = new World()

  expect((await watch.reconcile(signal)).getTime() - START).toBeLessThanOrEqual(3000)
})

test('gives a component that has never worked time to start', async () => {
  const world = new World()

  expect(await world.observe(DOWN)).toEqual([])
  world.time += 60_000
  expect(await world.observe(DOWN)).toEqual([FAILED])
})

test('continues after a restart without reporting again', async () => {
  const world = new World()
  await world.observe(WELL, DOWN)

  world.restart()

  expect(await world.observe(DOWN, WELL)).toEqual([FAILED, RESOLVED])
})

test('drops the alarms of a paused plane without a report', async () => {
  const world = new World()

  expect(await world.observe(WELL, DOWN, undefined)).toEqual([FAILED])
  expect(world.published).toEqual([])
  expect(world.watch.metrics()).toBe('')
})

test('gives a resumed plane time to start', async () => {
  const world = new World()
  await world.observe(WELL)
  world.time += 60_000

  expect(await world.observe(undefined, DOWN)).toEqual([])
  world.time += 60_000
  expect(await world.observe(DOWN)).toEqual([FAILED])
})

test('reports nothing that stops for a moment during a change', async () => {
  const world = new World()
  await world.observe(WELL)

  world.isChanging = () => true
  expect(await world.observe(DOWN, DOWN, WELL, DOWN, WELL)).toEqual([])
  world.isChanging = () => false
  expect(await world.observe(WELL)).toEqual([])
})

test('gives what a change stopped a minute to come back, also after the change', async () => {
  const world = new World()
  await world.observe(WELL)
  world.isChanging = () => true
  await world.observe(DOWN)

  world.isChanging = () => false
  expect(await world.observe(DOWN, DOWN)).toEqual([])
  world.time += 60_000
  expect(await world.observe(DOWN, WELL)).toEqual([FAILED, RESOLVED])
  expect(await world.observe(DOWN)).toEqual([FAILED, RESOLVED, FAILED])
})

test('reports what is down for more than a minute during a change', async () => {
  const world = new World()
  await world.observe(WELL)
  world.isChanging = () => true

  expect(await world.observe(DOWN)).toEqual([])
  world.time += 60_000
  expect(await world.observe(DOWN, DOWN, WELL)).toEqual([FAILED, RESOLVED])
})

test('keeps the alarms from before a change', async () => {
  const world = new World()
  await world.observe(WELL, DOWN)
  world.isChanging = () => true

  expect(await world.observe(DOWN, WELL)).toEqual([FAILED, RESOLVED])
})

test('measures again when a change ends while it measures', async () => {
  const world = new World()
  await world.observe(WELL)
  world.isChanging = () => {
    world.figures = WELL
    return false
  }

  expect(await world.observe(DOWN)).toEqual([])
})

test('reports alarms of etcd, and keeps them while etcd has no majority', async () => {
  const { observe } = new World()
  const full = withEtcd({ alarms: ['NOSPACE'] })
  const silent = withEtcd({ isWorking: false })
  const { etcd: _, ...unknown } = full

  expect(await observe(full, silent, unknown, full, withEtcd({ alarms: [] }))).toEqual([
    expect.stringContaining('warning EtcdNoSpace: the database of etcd-0 is full'),
    expect.stringContaining('normal EtcdHasSpace: resolved: the database of etcd-0 is full'),
  ])
})

test('reports a database past 80 % of its quota once while it varies there', async () => {
  const { observe } = new World()

  expect(await observe(filled(80))).toEqual([])
  expect(await observe(filled(81), filled(78), filled(81), filled(75))).toEqual([
    'warning EtcdNearQuota: the database of etcd-0 exceeds 80 % of its quota of 100 bytes',
    'normal EtcdHasRoom: resolved: the database of etcd-0 exceeds 80 % of its quota of 100 bytes',
  ])
})

test('reports all certificates that expire within 30 days together', async () => {
  const { observe } = new World()
  const ending = (name: string, days: number) => ({
    name,
    expiresAt: new Date(START + days * DAY_MS),
  })
  const leaves = [ending('apiserver', 29), ending('ca', 31), ending('etcd/server', 20)]
  const figures = { ...WELL, certificates: [...leaves, { name: 'sa' }] }

  expect(await observe(figures, figures)).toEqual([
    'warning CertificatesEnding: these expire within 30 days, the first one 2026-01-21T00:00:00.000Z: apiserver, etcd/server',
  ])
})

test('reports an overdue backup', async () => {
  const { observe } = new World()
  const due = (at: number) => ({ ...WELL, backup: { nextAt: new Date(at) } })

  expect(await observe(due(START), due(START - 16 * 60_000))).toEqual([
    'warning BackupOverdue: a backup was due 2025-12-31T23:44:00.000Z, and is missing',
  ])
})

test('serves components and alarms as metrics', async () => {
  const world = new World()
  await world.observe(WELL, DOWN)

  const text = world.watch.metrics()

  expect(text).toContain('vplane_component_up{plane="dev",component="kube-apiserver"} 0\n')
  expect(text).toContain(
    'vplane_alarm{plane="dev",reason="ComponentNotReady",subject="kube-apiserver"} 1\n',
  )
})

test('reports once that renewal fails, keeps the alarm while it is unknown, and reports that it works', async () => {
  const world = new World()
  const failing = { ...WELL, renewal: { failure: 'keys are gone' } }

  const warning = 'warning RenewalFailed: certificates cannot be renewed: keys are gone'
  expect(await world.observe(failing, failing)).toEqual([warning])
  world.restart()
  expect(await world.observe(WELL)).toEqual([warning])
  expect(await world.observe({ ...WELL, renewal: {} })).toEqual([
    warning,
    'normal RenewalWorks: resolved: certificates cannot be renewed: keys are gone',
  ])
})
