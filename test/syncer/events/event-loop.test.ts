import { expect, test } from 'vitest'
import { collectionPath } from '../../../src/shared/kube/collections.ts'
import { ObjectCache } from '../../../src/kube/cache/object-cache.ts'
import { eventLoop } from '../../../src/syncer/events/event-loop.ts'
import { byResource } from '../../../src/syncer/scope/resources.ts'
import { MemoryHostApi, refusal } from '../../support/api/memory-host-api.ts'
import { inBackground } from '../../support/in-background.ts'
import { soon } from '../../support/soon.ts'
import { follow } from '../engine/some-caches.ts'
import { hostOf, SCOPE, virtualObject } from '../translate/some-objects.ts'

const HOST_EVENT = '/api/v1/namespaces/team-a/events/pulling'
const VIRTUAL_EVENTS = '/api/v1/namespaces/shop/events'
const HOST_POD = '/api/v1/namespaces/team-a/pods/web-x-shop-x-dev'

/** The loop between two APIs in memory. */
function looping([host, plane] = [new MemoryHostApi(), new MemoryHostApi()] as const) {
  const errors: unknown[] = []
  const sides = byResource((resource) => ({
    host: new ObjectCache(host, collectionPath(resource, 'team-a')),
  }))
  const namespaces = new ObjectCache(plane, '/api/v1/namespaces')
  const events = { host: new ObjectCache(host, '/api/v1/namespaces/team-a/events') }
  follow(namespaces, ...Object.values({ ...sides, events }).map((side) => side.host))
  const loop = eventLoop(
    { ...sides, events, namespaces, plane, scope: SCOPE },
    { onError: (_, error) => errors.push(error) },
  )
  inBackground((signal) => loop.run(signal))
  return {
    plane,
    errors,
    host,
    events,
    namespaces,
    putPod: (marks = {}) => {
      const { metadata } = hostOf(virtualObject('Pod'))
      return host.put(HOST_POD, virtualObject('Pod', {}, { ...metadata, ...marks })).metadata.uid
    },
    putEvent: (uid: string | undefined, count = 1) => {
      const place = { name: 'web-x-shop-x-dev', namespace: 'team-a' }
      const said = { reason: 'Pulling', message: 'pulling for web-x-shop-x-dev', count }
      const event = { involvedObject: { kind: 'Pod', ...place, uid }, ...said }
      const metadata = { name: 'pulling', namespace: 'team-a' }
      return host.put(HOST_EVENT, virtualObject('Event', event, metadata))
    },
    shown: () => [...plane.objects.values()].filter(({ kind }) => kind === 'Event'),
    /** All that is told has been worked on. */
    settled: (isSettled: () => boolean) => soon('the loop', () => isSettled() && loop.depth === 0),
    /** The loop has looked at what it was told. */
    reconciled: () =>
      soon('the loop', () => loop.depth === 0 && (loop.counts['reconcile_seconds_count'] ?? 0) > 0),
  }
}

test('shows an event once, and counts it up', async () => {
  const given = looping()
  const uid = given.putPod()
  given.putEvent(uid)
  await given.settled(() => given.shown().length === 1)

  given.putEvent(uid, 7)
  await given.settled(() => given.shown()[0]?.['count'] === 7)

  expect(given.shown()).toMatchObject([
    {
      metadata: { namespace: 'shop', name: expect.stringMatching(/^web\./) },
      involvedObject: { kind: 'Pod', name: 'web', namespace: 'shop', uid: 'uid-of-web' },
      reason: 'Pulling',
      message: 'pulling for web',
      count: 7,
    },
  ])
  expect(given.plane.writes.map((write) => write.split(' ')[0])).toEqual(['create', 'patch'])
  expect(given.errors).toEqual([])
})

test('finds the event that an earlier syncer has shown', async () => {
  const earlier = looping()
  const uid = earlier.putPod()
  const { metadata } = earlier.putEvent(uid)
  await earlier.settled(() => earlier.shown().length === 1)
  const given = looping()
  const name = `web.${metadata.uid}`
  given.plane.put(`${VIRTUAL_EVENTS}/${name}`, virtualObject('Event', { count: 1 }, { name }))
  given.putPod()

  given.putEvent(uid, 3)

  await given.settled(() => given.shown()[0]?.['count'] === 3)
  expect(given.shown()).toHaveLength(1)
})

test('shows no event again that an earlier syncer has shown, but its next change', async () => {
  const earlier = looping()
  const uid = earlier.putPod()
  earlier.putEvent(uid)
  await earlier.settled(() => earlier.shown().length === 1)
  const before = earlier.plane.writes.length

  const given = looping([earlier.host, earlier.plane])
  await given.reconciled()
  const again = given.plane.writes.slice(before)
  given.putEvent(uid, 2)
  await given.settled(() => given.shown()[0]?.['count'] === 2)

  expect(again).toEqual([])
})

test('shows an event again that the plane has forgotten when it happens again', async () => {
  const given = looping()
  const uid = given.putPod()
  given.putEvent(uid)
  await given.settled(() => given.shown().length === 1)
  given.shown().forEach(({ metadata: { name } }) => given.plane.remove(`${VIRTUAL_EVENTS}/${name}`))

  given.putEvent(uid, 2)

  await given.settled(() => given.shown()[0]?.['count'] === 2)
})

test('waits for the object of an event that came before it', async () => {
  const given = looping()
  const { uid } = given.host.put(HOST_POD, virtualObject('Pod')).metadata
  given.putEvent(uid)
  await given.reconciled()
  expect(given.shown()).toEqual([])

  given.putPod()

  await given.settled(() => given.shown().length === 1)
})

test.for([
  ['another object that had the name', {}, 'uid-of-another'],
  ['an object that is not of the plane', { labels: {} }, undefined],
] as const)('shows nothing about %s', async ([, marks, other]) => {
  const given = looping()
  const uid = given.putPod(marks)

  given.putEvent(other ?? uid)

  await given.reconciled()
  expect(given.plane.writes).toEqual([])
})

test('shows nothing in a namespace that is going', async () => {
  const given = looping()
  const metadata = { name: 'shop', deletionTimestamp: '2026-06-01T12:00:00Z' }
  given.plane.put('/api/v1/namespaces/shop', { apiVersion: 'v1', kind: 'Namespace', metadata })
  await given.settled(() => given.namespaces.size === 1)
  given.putEvent(given.putPod())

  await given.reconciled()

  expect(given.plane.writes).toEqual([])
})

test('asks a plane that does not take it again', async () => {
  const given = looping()
  let refusals = 2
  given.plane.hooks.onRequest = ({ verb }) => {
    refusals -= Number(verb === 'create')
    if (verb === 'create' && refusals >= 0) {
      throw refusal(500, 'not now')
    }
  }

  given.putEvent(given.putPod())

  await given.settled(() => given.shown().length === 1)
  expect(given.errors).toHaveLength(2)
})

test('does not tell the plane of each change in a flood', async () => {
  const given = looping()
  const uid = given.putPod()
  const gate = Promise.withResolvers<void>()
  given.plane.hooks.onRequest = ({ verb }) => (verb === 'list' ? undefined : gate.promise)
  given.putEvent(uid)
  await given.settled(() => given.plane.writes.length === 1)

  for (let count = 2; count <= 500; count += 1) {
    given.putEvent(uid, count)
  }
  await soon('the flood', () => given.events.host.get('team-a/pulling')?.['count'] === 500)
  gate.resolve()

  await given.settled(() => given.shown()[0]?.['count'] === 500)
  expect(given.plane.writes).toHaveLength(2)
})
