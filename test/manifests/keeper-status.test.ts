import { expect, test } from 'vitest'
import {
  type KeeperStatus,
  keeperStatusData,
  keeperStatusOf,
} from '../../src/manifests/keeper-status.ts'

const NO_WAKES = { count: 0, recent: [], watchers: [] }
const at = new Date('2026-01-01T12:00:00Z')

test('reads from a ConfigMap what was written into it', () => {
  const status: KeeperStatus = {
    backup: { last: { id: 'x', at, revision: 7, sizeBytes: 3 }, nextAt: at },
    idle: { usedAt: at, mark: '1:2' },
    alarms: [{ reason: 'EtcdNoSpace', subject: 'etcd-0', message: 'it is full', since: at }],
    wakes: { count: 1, recent: [{ at, ms: 4000 }], watchers: [] },
  }

  expect(keeperStatusOf({ data: keeperStatusData(status) })).toEqual(status)
})

test.for(['backup', 'idle', 'alarms', 'wakes'] as const)(
  'writes %s and keeps the rest as it is',
  (part) => {
    const { [part]: said } = { backup: {}, idle: {}, alarms: [], wakes: NO_WAKES }

    expect(Object.keys(keeperStatusData({ [part]: said }))).toEqual([part])
  },
)

test.for([
  undefined,
  {},
  { data: null },
  { data: { backup: 5, idle: 5, alarms: '[{' } },
  { data: { alarms: '{"alarms":[{"reason":"Other","subject":"x","message":"y"}]}' } },
])('reads nothing from %j', (map) => {
  expect(keeperStatusOf(map)).toEqual({ backup: {}, idle: {}, alarms: [], wakes: NO_WAKES })
})
