import { expect, test } from 'vitest'
import { waitFor } from '../../../src/shared/wait.ts'
import { ObjectCache } from '../../../src/syncer/engine/object-cache.ts'
import { eventLoop } from '../../../src/syncer/events/event-loop.ts'
import { byResource } from '../../../src/syncer/scope/resources.ts'
import { toHostMetadata } from '../../../src/syncer/translate/host-metadata.ts'
import { MemoryHostApi, refusal } from '../../support/api/memory-host-api.ts'
import { SCOPE, virtualObject } from '../translate/some-objects.ts'
import { collectionPath } from '../../../src/shared/kube/collections.ts'

const HOST_EVENT = '/api/v1/namespaces/team-a/events/pulling'
const VIRTUAL_EVENTS = '/api/v1/namespaces/shop/events'
const HOST_POD = '/api/v1/namespaces/team-a/pods/web-x-shop-x-dev'

/** The loop between two APIs in memory. */
async function looping() {
  const [host, plane] = [new MemoryHostApi(), new MemoryHostApi()]
  const stop = new AbortController()
  const errors: unknown[] = []
  const sides = byResource((resource) => ({
    host: new ObjectCache(host, collectionPath(resource, 'team-a')),
  }))
  const namespaces = new ObjectCache(plane, '/api/v1/namespaces')
  const events = { host: new ObjectCache(host, '/api/v1/namespaces/team-a/events') }
  const caches = [namespaces, ...Object.values({ ...sides, events }).map((side) => side.host)]
  const running = caches.map((cache) => cache.run(stop.signal).catch(() => {}))
  const loop = eventLoop(
    { ...sides, events, namespaces, plane, scope: SCOPE },
    { onError: (_, error) => errors.push(error) },
  )
  running.push(loop.run(stop.signal))
  return {
    plane,
    errors,
    host,
    events,
    namespaces,
    loop,
    putPod: (marks = {}) =>
      host.put(HOST_POD, {
        ...virtualObject('Pod'),
        metadata: { ...toHostMetadata(SCOPE, virtualObject('Pod')), ...marks },
      }).metadata.uid,
    putEvent: (uid: string | undefined, count = 1) =>
      host.put(HOST_EVENT, {
        apiVersion: 'v1',
        kind: 'Event',
        metadata: { name: 'pulling', namespace: 'team-a' },
        involvedObject: { kind: 'Pod', name: 'web-x-shop-x-dev', namespace: 'team-a', uid },
        reason: 'Pulling',
        message: 'pulling for web-x-shop-x-dev',
        count,
      }),
    shown: () => [...plane.objects.values()].filter(({ kind }) => kind === 'Event'),
    /** All that is told has been worked on. */
    settled: async (isSettled: () => boolean) =>
      waitFor(async () => isSettled() && loop.depth === 0, { what: 'the loop', timeoutMs: 5000 }),
    [Symbol.asyncDispose]: async () => {
      stop.abort(new Error('the test has ended'))
      await Promise.all(running)
    },
  }
}

const reconciles = ({ loop }: { loop: { counts: Record<string, number> } }) =>
  loop.counts['reconcile_seconds_count'] ?? 0

test('shows an event once, and counts it up', async () => {
  await using given = await looping()
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
  await using earlier = await looping()
  const uid = earlier.putPod()
  const { metadata } = earlier.putEvent(uid)
  await earlier.settled(() => earlier.shown().length === 1)
  await using given = await looping()
  given.plane.put(`${VIRTUAL_EVENTS}/web.${metadata.uid}`, {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: `web.${metadata.uid}`, namespace: 'shop' },
    count: 1,
  })
  given.putPod()

  given.putEvent(uid, 3)

  await given.settled(() => given.shown()[0]?.['count'] === 3)
  expect(given.shown()).toHaveLength(1)
})

test('shows an event again that the plane has forgotten when it happens again', async () => {
  await using given = await looping()
  const uid = given.putPod()
  given.putEvent(uid)
  await given.settled(() => given.shown().length === 1)
  given.shown().forEach(({ metadata: { name } }) => given.plane.remove(`${VIRTUAL_EVENTS}/${name}`))

  given.putEvent(uid, 2)

  await given.settled(() => given.shown()[0]?.['count'] === 2)
})

test('waits for the object of an event that came before it', async () => {
  await using given = await looping()
  const { uid } = given.host.put(HOST_POD, virtualObject('Pod')).metadata
  given.putEvent(uid)
  await given.settled(() => reconciles(given) > 0)
  expect(given.shown()).toEqual([])

  given.putPod()

  await given.settled(() => given.shown().length === 1)
})

test.for([
  ['another object that had the name', {}, 'uid-of-another'],
  ['an object that is not of the plane', { labels: {} }, undefined],
] as const)('shows nothing about %s', async ([, marks, other]) => {
  await using given = await looping()
  const uid = given.putPod(marks)

  given.putEvent(other ?? uid)

  await given.settled(() => reconciles(given) > 0)
  expect(given.plane.writes).toEqual([])
})

test('shows nothing in a namespace that is going', async () => {
  await using given = await looping()
  given.plane.put('/api/v1/namespaces/shop', {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: 'shop', deletionTimestamp: '2026-06-01T12:00:00Z' },
  })
  await given.settled(() => given.namespaces.size === 1)
  given.putEvent(given.putPod())

  await given.settled(() => reconciles(given) > 0)

  expect(given.plane.writes).toEqual([])
})

test('asks a plane that does not take it again', async () => {
  await using given = await looping()
  let refusals = 2
  given.plane.hooks.onRequest = () => {
    refusals -= 1
    if (refusals >= 0) {
      throw refusal(500, 'not now')
    }
  }

  given.putEvent(given.putPod())

  await given.settled(() => given.shown().length === 1)
  expect(given.errors).toHaveLength(2)
})

test('does not tell the plane of each change in a flood', async () => {
  await using given = await looping()
  const uid = given.putPod()
  const gate = Promise.withResolvers<void>()
  given.plane.hooks.onRequest = () => gate.promise
  given.putEvent(uid)
  await given.settled(() => given.plane.writes.length === 1)

  for (let count = 2; count <= 500; count += 1) {
    given.putEvent(uid, count)
  }
  await waitFor(async () => given.events.host.get('team-a/pulling')?.['count'] === 500, {
    what: 'the flood',
    timeoutMs: 5000,
  })
  gate.resolve()

  await given.settled(() => given.shown()[0]?.['count'] === 500)
  expect(given.plane.writes).toHaveLength(2)
})
