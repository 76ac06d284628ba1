import { expect, test } from 'vitest'
import { planeEvents } from '../../../../src/drivers/kubernetes/status/plane-events.ts'
import { MemoryHostApi } from '../../../support/api/memory-host-api.ts'
import { putObject } from '../fake-cluster.ts'

const PLACE = { name: 'dev', namespace: 'team-a' }
const NOW = new Date('2026-06-01T12:00:00Z')

test('shows what the host noted of a plane in the last hour, the latest last', async () => {
  const events = await eventsOf([
    eventOf('Pod/vplane-dev-etcd-0', {
      lastTimestamp: '2026-06-01T11:50:00Z',
      type: 'Warning',
      reason: 'Unhealthy',
      message: 'probe failed\n',
      count: 3,
    }),
    eventOf('Pod/vplane-dev-etcd-0', { lastTimestamp: '2026-06-01T11:40:00Z' }),
    eventOf('Pod/vplane-dev-etcd-0', { lastTimestamp: '2026-06-01T10:59:00Z' }),
  ])

  expect(events.map(({ at }) => at.toISOString())).toEqual([
    '2026-06-01T11:40:00.000Z',
    '2026-06-01T11:50:00.000Z',
  ])
  expect(events[1]).toEqual({
    at: new Date('2026-06-01T11:50:00Z'),
    level: 'warning',
    object: 'Pod/vplane-dev-etcd-0',
    reason: 'Unhealthy',
    message: 'probe failed',
    count: 3,
  })
})

const THEN = '2026-06-01T11:58:00.123Z'

test.for([
  ['a time of its own', { eventTime: '2026-06-01T11:58:00.123456Z' }, [THEN]],
  ['a series', { series: { count: 7, lastObservedTime: '2026-06-01T11:58:00.123456Z' } }, [THEN]],
  ['nothing but its birth', { creationTimestamp: THEN }, [THEN]],
  ['no time, which it passes over', {}, []],
] as const)('reads when an event was with %s', async ([, fields, times]) => {
  const events = await eventsOf([eventOf('Pod/vplane-dev-etcd-0', fields)])

  expect(events.map(({ at }) => at.toISOString())).toEqual(times)
})

test.for([
  'vplane-dev-api',
  'vplane-dev-etcd',
  'vplane-dev-etcd-0',
  'vplane-dev-etcd-peers',
  'vplane-dev-kube-apiserver',
  'vplane-dev-kube-apiserver-dfb5f44d5',
  'vplane-dev-kube-apiserver-dfb5f44d5-v4bzf',
  'vplane-dev-kube-controller-manager-5f75c96677-4xwwb',
  'data-vplane-dev-etcd-0',
  'vplane-dev-dns',
  'vplane-dev-syncer-5f75c96677-4xwwb',
  'vplane-dev-keeper-settings',
  'vplane-keeper',
  'vplane-keeper-5f75c96677-4xwwb',
  'vplane-dev-kube-scheduler-5f75c96677-4xwwb',
])('shows events of %s', async (name) => {
  expect(await eventsOf([recent(name)])).toHaveLength(1)
})

test('shows events of the ControlPlane that declares a plane, and of no other', async () => {
  const at = { lastTimestamp: '2026-06-01T11:58:00Z' }
  const names = ['ControlPlane/dev', 'ControlPlane/other', 'ControlPlane/vplane-dev-api', 'Pod/dev']

  const events = await eventsOf(names.map((name) => eventOf(name, at)))

  expect(events.map(({ object }) => object)).toEqual(['ControlPlane/dev'])
})

test.for([
  'vplane-prod-etcd-0',
  'vplane-dev-etcd-etcd-0',
  'vplane-dev-etcd-api',
  'vplane-dev-syncer-api',
  'web-x-default-x-dev',
  'vplane-dev-kube-apiserver-api',
  'vplane-dev-kube-apiserver-kube-apiserver-dfb5f44d5-v4bzf',
  'dev',
  'web-0',
])('shows none of %s, which is of someone else', async (name) => {
  expect(await eventsOf([recent(name)])).toEqual([])
})

function recent(name: string): Record<string, unknown> {
  return eventOf(`Pod/${name}`, { lastTimestamp: '2026-06-01T11:59:00Z' })
}

function eventOf(object: string, fields: Record<string, unknown>): Record<string, unknown> {
  const [kind, name] = object.split('/')
  const event = { reason: 'Started', message: 'started', type: 'Normal', ...fields }
  return { ...event, involvedObject: { kind, name } }
}

async function eventsOf(events: ReadonlyArray<Record<string, unknown>>) {
  const api = new MemoryHostApi()
  for (const [index, event] of events.entries()) {
    const { creationTimestamp, ...fields } = event
    putObject(api, ['Event', { name: `e${index}`, creationTimestamp }], fields)
  }
  const { signal } = new AbortController()
  return planeEvents(api, PLACE, { now: NOW, signal })
}
