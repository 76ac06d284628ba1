import { expect, test } from 'vitest'
import type { PlaneFigures } from '../../../src/control-plane/status/plane-figures.ts'
import { toMetrics } from '../../../src/control-plane/status/to-metrics.ts'
import { formatMetrics } from '../../../src/shared/text/format-metrics.ts'

const NOW = new Date('2026-01-01T00:00:00Z')
const NOTHING: PlaneFigures = { components: [], isApiReady: false, certificates: [] }

function samplesOf(figures: Partial<PlaneFigures>): string[] {
  return formatMetrics(toMetrics({ plane: 'dev' }, { ...NOTHING, ...figures }, NOW))
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
}

const READY = 'vplane_kube_apiserver_ready{plane="dev"} 0'

test('leaves out metrics whose values are unknown', () => {
  expect(samplesOf({})).toEqual([READY])
})

test('says which components work', () => {
  const components = [
    { name: 'etcd', isUp: true },
    { name: 'keeper', isUp: false },
  ] as const

  expect(samplesOf({ components })).toEqual([
    'vplane_component_up{plane="dev",component="etcd"} 1',
    'vplane_component_up{plane="dev",component="keeper"} 0',
    READY,
  ])
})

test('says of each member of etcd what it says, and of one that is silent that it is', () => {
  const database = { sizeBytes: 30, inUseBytes: 20, quotaBytes: 100 }
  const leader = { instance: 'a', isWorking: true, isLeading: true, database }
  const silent = { instance: 'b', isWorking: false, isLeading: false }

  const samples = samplesOf({ etcd: { members: [{ ...leader, alarms: ['NOSPACE'] }, silent] } })

  expect(samples).toEqual([
    READY,
    'vplane_etcd_members{plane="dev"} 2',
    'vplane_etcd_member_up{plane="dev",member="a"} 1',
    'vplane_etcd_member_up{plane="dev",member="b"} 0',
    'vplane_etcd_leader{plane="dev",member="a"} 1',
    'vplane_etcd_leader{plane="dev",member="b"} 0',
    'vplane_etcd_database_size_bytes{plane="dev",member="a"} 30',
    'vplane_etcd_database_in_use_bytes{plane="dev",member="a"} 20',
    'vplane_etcd_database_quota_bytes{plane="dev",member="a"} 100',
    'vplane_etcd_alarm{plane="dev",member="a",alarm="NOSPACE"} 1',
    'vplane_etcd_alarm{plane="dev",member="a",alarm="CORRUPT"} 0',
  ])
})

test('says how long certificates last, and nothing of keys', () => {
  const expiresAt = new Date('2026-01-01T00:01:00Z')

  expect(samplesOf({ certificates: [{ name: 'etcd/server', expiresAt }, { name: 'sa' }] })).toEqual(
    [READY, 'vplane_certificate_remaining_seconds{plane="dev",certificate="etcd/server"} 60'],
  )
})

test('says of a plane without any backup that none has failed', () => {
  expect(samplesOf({ backup: {} })).toEqual([READY, 'vplane_backup_failures{plane="dev"} 0'])
})

test('says what is under way, since when, and whether it was interrupted', () => {
  const since = new Date(NOW.getTime() - 60_000)
  const operation = { kind: 'change', since, isInterrupted: true }

  expect(samplesOf({ operation })).toEqual([
    READY,
    'vplane_operation_interrupted{plane="dev",operation="change"} 1',
    'vplane_operation_start_timestamp_seconds{plane="dev",operation="change"} 1767225540',
  ])
})

test('says how old the last backup is, and when the next is due', () => {
  const at = new Date('2025-12-31T23:00:00Z')
  const last = { id: 'x', at, revision: 7, sizeBytes: 123 }
  const failure = { at, reason: 'full', count: 3 }

  expect(samplesOf({ backup: { last, failure, nextAt: NOW } })).toEqual([
    READY,
    'vplane_backup_failures{plane="dev"} 3',
    'vplane_backup_last_success_timestamp_seconds{plane="dev"} 1767222000',
    'vplane_backup_age_seconds{plane="dev"} 3600',
    'vplane_backup_last_success_size_bytes{plane="dev"} 123',
    'vplane_backup_next_timestamp_seconds{plane="dev"} 1767225600',
  ])
})

test('says what woke a plane, and how long that took', () => {
  const source = { id: '41:99', name: 'kubectl (process 41)' }
  const recent = [
    { at: NOW, ms: 9000 },
    { at: NOW, ms: 2100, source, serverName: 'dev' },
  ]
  const of = '{plane="dev",by="kubectl (process 41)",server_name="dev"}'

  expect(samplesOf({ wakes: { count: 12, recent, watchers: [] } })).toEqual([
    READY,
    'vplane_wakes_total{plane="dev"} 12',
    `vplane_last_wake_timestamp_seconds${of} ${NOW.getTime() / 1000}`,
    `vplane_last_wake_duration_seconds${of} 2.1`,
    'vplane_stays_awake{plane="dev"} 0',
  ])
})
