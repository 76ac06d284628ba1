import { expect, test } from 'vitest'
import { VplaneError } from '../../../src/shared/errors.ts'
import {
  illPlane,
  NO_DATA,
  POD,
  told,
  toldAtRemovals,
} from '../../drivers/kubernetes/repair/ill-plane.ts'
import type { MemoryRequest } from '../../support/memory-host-api.ts'
import { CONFIGURATION, keptMembers } from './kept-members.ts'

const WRITES = ['apply', 'delete']

test('gives a member that lost its data with its pod that of the others', async () => {
  const { cluster, etcd, events, ill, lookUntilCalm } = await keptPlane(3)
  ill(1, NO_DATA)

  await lookUntilCalm()

  expect(etcd.done).toEqual(['remove 11', 'add 1', 'promote 21'])
  expect(told(cluster)).toEqual([1, 1, 1])
  expect(events.map(({ reason }) => reason)).toEqual(['MemberLost', 'MemberReplaced'])
})

test('takes both of two members out before the first comes back', async () => {
  const { cluster, etcd, ill, lookUntilCalm } = await keptPlane(5)
  ill(1, NO_DATA)
  ill(4, NO_DATA)
  const seen = toldAtRemovals(cluster)

  await lookUntilCalm()

  expect(etcd.done.slice(0, 2)).toEqual(['remove 11', 'remove 14'])
  expect(etcd.done.slice(2)).toEqual(['add 1', 'promote 21', 'add 4', 'promote 22'])
  // etcd takes nobody who knows of other members than it has.
  expect(seen).toEqual([
    [1, 4, 1, 1, 1],
    [1, 1, 1, 1, 5],
  ])
})

test('tells the members of a new plane that they have data, and then leaves them alone', async () => {
  const { cluster, etcd, look, lookUntilCalm } = await keptPlane(3)
  const before = told(cluster)

  await lookUntilCalm()
  const after = told(cluster)
  cluster.api.requests.length = 0
  await look()

  expect([before, after]).toEqual([
    [3, 3, 3],
    [1, 1, 1],
  ])
  expect(cluster.api.requests).toEqual([`get ${CONFIGURATION}`])
  expect(etcd.done).toEqual([])
})

test('says once that the majority is lost, and does nothing', async () => {
  const { cluster, etcd, events, ill, look } = await keptPlane(3)
  ill(0, NO_DATA)
  ill(2, NO_DATA)
  const { writes } = cluster.api

  await look()
  await look()

  expect(events).toHaveLength(1)
  expect(events[0]?.message).toContain(
    'vplane-dev-etcd-0, vplane-dev-etcd-2: the plane has to be repaired',
  )
  expect(etcd.done).toEqual([])
  expect(cluster.api.writes).toEqual(writes)
})

test('does nothing while another vplane works on the plane', async () => {
  const { etcd, ill, look } = await keptPlane(3, { isHeld: true })
  ill(1, NO_DATA)

  await look()

  expect(etcd.done).toEqual([])
})

test.for([
  { ordinals: [0, 1, 2, 3], what: 'one more that is to join the others' },
  { ordinals: [0, 1], what: 'one less, as it is to go' },
])(
  'leaves all as it is while a scaling that was cut off has told of $what',
  async ({ ordinals }) => {
    const { cluster, etcd, ill, look } = await keptPlane(3)
    const map = cluster.api.objects.get(CONFIGURATION)
    expect.assert(map !== undefined)
    const files = Object.values(Object(map['data'])).map(String)
    const data = Object.fromEntries(
      ordinals.map((one) => [`vplane-dev-etcd-${one}.json`, files[one] ?? files[0]]),
    )
    cluster.api.put(CONFIGURATION, { ...map, data })
    const before = told(cluster)
    await look()
    ill(2, NO_DATA)

    await look()

    expect(told(cluster)).toEqual(before)
    expect(etcd.done).toEqual([])
  },
)

test.for([1, 2])('goes on when it was killed at its write number %i', async (kill) => {
  let writes = 0
  const cut = { isOn: false }
  const onRequest = ({ path, verb }: MemoryRequest) => {
    if (cut.isOn && WRITES.includes(verb) && /configmaps|pods/.test(path)) {
      writes += 1
      if (writes === kill) {
        throw new VplaneError('FAILED', 'killed')
      }
    }
  }
  const { cluster, etcd, ill, look, lookUntilCalm } = await keptPlane(3, { onRequest })
  ill(1, NO_DATA)
  cut.isOn = true
  await expect(look()).rejects.toThrow('killed')

  await lookUntilCalm()

  expect(etcd.done).toEqual(['remove 11', 'add 1', 'promote 21'])
  expect(told(cluster)).toEqual([1, 1, 1])
})

test('forgets the pod of a member on a node that does not answer', async () => {
  const { cluster, etcd, ill, lookUntilCalm } = await keptPlane(3)
  ill(2, 'it stands still\n')
  const pod = cluster.api.objects.get(POD(2))
  expect.assert(pod !== undefined)
  const deletionTimestamp = new Date(Date.now() - 61_000).toISOString()
  cluster.api.put(POD(2), { ...pod, metadata: { ...pod.metadata, deletionTimestamp } })

  await lookUntilCalm()

  expect(etcd.done).toEqual(['remove 12', 'add 2', 'promote 21'])
})

/** A keeper beside a plane whose members can be made ill. */
async function keptPlane(
  count: 3 | 5,
  {
    isHeld = false,
    onRequest = () => {},
  }: { isHeld?: boolean; onRequest?: (request: MemoryRequest) => void } = {},
) {
  const plane = await illPlane(count, { onRequest })
  const held = { check: async () => {}, [Symbol.asyncDispose]: async () => {} }
  const hold = async () => (isHeld ? undefined : held)
  const { events, look } = await keptMembers(plane, { count, hold })
  return {
    ...plane,
    events,
    look,
    lookUntilCalm: async () => {
      for (let looks = 0; looks < 12; looks += 1) {
        if ((await look()).getTime() - Date.now() > 2000) {
          return
        }
      }
      throw new Error('it does not come to rest')
    },
  }
}
