import { expect, test } from 'vitest'
import { VplaneError } from '../../../src/shared/errors.ts'
import {
  illPlane,
  NO_DATA,
  POD,
  told,
  toldAtRemovals,
} from '../../drivers/kubernetes/repair/ill-plane.ts'
import type { MemoryRequest } from '../../support/api/memory-host-api.ts'
import { CONFIGURATION, keeperMembers } from './keeper-members.ts'

type OnRequest = (request: MemoryRequest) => void

const WRITES = ['apply', 'delete']

test('gives a member that lost its data with its pod the data of the others', async () => {
  const { cluster, etcd, events, ill, reconcileUntilCalm } = await watchedPlane(3)
  ill(1, NO_DATA)

  await reconcileUntilCalm()

  expect(etcd.done).toEqual(['remove 11', 'add 1', 'promote 21'])
  expect(told(cluster)).toEqual([1, 1, 1])
  expect(events.map(({ reason }) => reason)).toEqual(['MemberLost', 'MemberReplaced'])
})

test('replaces a member with other data than the majority, and then disarms its alarm', async () => {
  const { etcd, events, reconcileUntilCalm } = await watchedPlane(3)
  etcd.alarms.push({ memberID: '11', alarm: 'CORRUPT' })
  etcd.hashes.set(1, 8)

  await reconcileUntilCalm()

  expect(etcd.done).toEqual(['remove 11', 'add 1', 'promote 21', 'end an alarm'])
  expect(events.map(({ message }) => message)).toEqual([
    'vplane-dev-etcd-1 has other data than the majority: another member replaces it',
    'vplane-dev-etcd-1 has the data of the others',
  ])
})

test('replaces no member while no majority has the same data', async () => {
  const { etcd, reconcile } = await watchedPlane(3)
  etcd.alarms.push({ memberID: '11', alarm: 'CORRUPT' })
  etcd.hashes.set(1, 8)
  etcd.hashes.set(2, 9)

  await reconcile()

  expect(etcd.done).toEqual([])
})

test('replaces a member that did not start beside others with the same data, and no other', async () => {
  const { etcd, ill, reconcileUntilCalm } = await watchedPlane(3)
  ill(2, '{"level":"fatal","error":"8e9e05c52164694d found data inconsistency with peers"}\n')

  await reconcileUntilCalm()

  expect(etcd.done).toEqual(['remove 12', 'add 2', 'promote 21'])
})

test('removes both of two broken members before it adds the first', async () => {
  const { cluster, etcd, ill, reconcileUntilCalm } = await watchedPlane(5)
  ill(1, NO_DATA)
  ill(4, NO_DATA)
  const published = toldAtRemovals(cluster)

  await reconcileUntilCalm()

  expect(etcd.done.slice(0, 2)).toEqual(['remove 11', 'remove 14'])
  expect(etcd.done.slice(2)).toEqual(['add 1', 'promote 21', 'add 4', 'promote 22'])
  // etcd rejects a member that is configured with other members than it has.
  expect(published.map(String)).toEqual(['1,4,1,1,1', '1,1,1,1,5'])
})

test('publishes that the members of a new plane have data, and then does nothing', async () => {
  const { cluster, etcd, reconcile, reconcileUntilCalm } = await watchedPlane(3)
  const before = told(cluster)

  await reconcileUntilCalm()
  const after = told(cluster)
  cluster.api.requests.length = 0
  await reconcile()

  expect([before, after].map(String)).toEqual(['3,3,3', '1,1,1'])
  expect(cluster.api.requests).toEqual([`get ${CONFIGURATION}`])
  expect(etcd.done).toEqual([])
})

test('reports once that the majority is lost, and does nothing', async () => {
  const { cluster, etcd, events, ill, reconcile } = await watchedPlane(3)
  ill(0, NO_DATA)
  ill(2, NO_DATA)
  const { writes } = cluster.api

  await reconcile()
  await reconcile()

  const message = 'vplane-dev-etcd-0, vplane-dev-etcd-2: the plane has to be repaired'
  expect(events).toMatchObject([{ message: expect.stringContaining(message) }])
  expect(etcd.done).toEqual([])
  expect(cluster.api.writes).toEqual(writes)
})

test('does nothing while another vplane holds the plane', async () => {
  const { etcd, ill, reconcile } = await watchedPlane(3, { isHeld: true })
  ill(1, NO_DATA)

  await reconcile()

  expect(etcd.done).toEqual([])
})

test.for([
  { ordinals: [0, 1, 2, 3], what: 'one more member' },
  { ordinals: [0, 1], what: 'one member less' },
])('does nothing while an interrupted scaling has published $what', async ({ ordinals }) => {
  const { cluster, etcd, ill, reconcile } = await watchedPlane(3)
  const map = cluster.api.objects.get(CONFIGURATION)
  expect.assert(map !== undefined)
  const files = Object.values(Object(map['data'])).map(String)
  const data = Object.fromEntries(
    ordinals.map((one) => [`vplane-dev-etcd-${one}.json`, files[one] ?? files[0]]),
  )
  cluster.api.put(CONFIGURATION, { ...map, data })
  const before = told(cluster)
  await reconcile()
  ill(2, NO_DATA)

  await reconcile()

  expect(told(cluster)).toEqual(before)
  expect(etcd.done).toEqual([])
})

test.for([1, 2])('continues after it was killed at its write number %i', async (kill) => {
  let writes = 0
  const interruption = { isOn: false }
  const onRequest = ({ path, verb }: MemoryRequest) => {
    if (interruption.isOn && WRITES.includes(verb) && /configmaps|pods/.test(path)) {
      writes += 1
      if (writes === kill) {
        throw new VplaneError('FAILED', 'killed')
      }
    }
  }
  const { cluster, etcd, ill, reconcile, reconcileUntilCalm } = await watchedPlane(3, { onRequest })
  ill(1, NO_DATA)
  interruption.isOn = true
  await expect(reconcile()).rejects.toThrow('killed')

  await reconcileUntilCalm()

  expect(etcd.done).toEqual(['remove 11', 'add 1', 'promote 21'])
  expect(told(cluster)).toEqual([1, 1, 1])
})

test('deletes the pod of a member on a node that does not respond', async () => {
  const { cluster, etcd, ill, reconcileUntilCalm } = await watchedPlane(3)
  ill(2, 'it stands still\n')
  const pod = cluster.api.objects.get(POD(2))
  expect.assert(pod !== undefined)
  const deletionTimestamp = new Date(Date.now() - 61_000).toISOString()
  cluster.api.put(POD(2), { ...pod, metadata: { ...pod.metadata, deletionTimestamp } })

  await reconcileUntilCalm()

  expect(etcd.done).toEqual(['remove 12', 'add 2', 'promote 21'])
})

async function watchedPlane(
  count: 3 | 5,
  { isHeld = false, ...options }: { isHeld?: boolean; onRequest?: OnRequest } = {},
) {
  const plane = await illPlane(count, options)
  const held = { check: async () => {}, [Symbol.asyncDispose]: async () => {} }
  const hold = async () => (isHeld ? undefined : held)
  const { events, reconcile } = await keeperMembers(plane, { count, hold })
  return {
    ...plane,
    events,
    reconcile,
    reconcileUntilCalm: async () => {
      for (let runs = 0; runs < 12; runs += 1) {
        if ((await reconcile()).getTime() - Date.now() > 2000) {
          return
        }
      }
      throw new Error('it does not become calm')
    },
  }
}
