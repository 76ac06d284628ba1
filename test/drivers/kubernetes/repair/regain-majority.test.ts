import { expect, test } from 'vitest'
import { diagnosePlane } from '../../../../src/drivers/kubernetes/repair/diagnose-plane.ts'
import { regainMajority } from '../../../../src/drivers/kubernetes/repair/regain-majority.ts'
import { readPlane } from '../../../../src/drivers/kubernetes/record/hold-plane.ts'
import { VplaneError } from '../../../../src/shared/errors.ts'
import { rejectionOf } from '../../../support/thrown-by.ts'
import { illPlane, NO_DATA, PLACE, POD, told, toldAtRemovals } from './ill-plane.ts'

const TIMEOUT_MS = 25_000
const CORRUPT = '{"level":"panic","msg":"failed to recover v3 backend from snapshot"}\n'

test('finds the member that waits for the others, and how much data it has', async () => {
  const { diagnose } = await planeOf(3, { waiting: [1], lost: [0, 2] })

  expect(await diagnose()).toMatchObject({
    faults: [
      { instance: 'vplane-dev-etcd-0', remedy: 'choose' },
      { instance: 'vplane-dev-etcd-2', remedy: 'choose' },
    ],
    survivors: [{ instance: 'vplane-dev-etcd-1', revision: 41, isWaiting: true }],
  })
})

test('restarts as many members as a majority needs, with their identity, while nothing is served', async () => {
  const { cluster, regain } = await planeOf(3, { waiting: [1], lost: [0, 2] })
  const seen = toldAtRemovals(cluster)

  const leader = await regain()

  expect(leader).toBe('vplane-dev-etcd-0')
  expect(seen.filter((one) => one.includes(3))).toEqual([[3, 1, 1]])
  expect(podsOf(cluster)).toEqual(['etcd-0', 'etcd-1', 'etcd-2'])
  expect(cluster.recordOf('dev')).toMatchObject({ regaining: [0] })
})

test.for([
  { waiting: [0, 3], lost: [1, 2, 4], back: [1] },
  { waiting: [2], lost: [0, 1, 3, 4], back: [0, 1] },
])('of five members, with $waiting left, restarts $back', async ({ back, lost, waiting }) => {
  const { cluster, regain } = await planeOf(5, { waiting, lost })

  await regain()

  expect(cluster.recordOf('dev')).toMatchObject({ regaining: back })
  expect(told(cluster)).toEqual([0, 1, 2, 3, 4].map((one) => (back.includes(one) ? 5 : 1)))
})

test('waits for a starting member, which may have more data than the others', async () => {
  const { cluster, etcd, regain } = await planeOf(5, { waiting: [0, 3], lost: [1, 2, 4] })
  cluster.api.put(POD(0), startingPod(cluster, 0))
  etcd.silent.add(0)

  await regain()

  expect(cluster.recordOf('dev')).toMatchObject({ regaining: [1] })
})

test('does not empty a damaged volume when another one is lost', async () => {
  const { cluster, regain } = await planeOf(3, { waiting: [1], corrupt: [0], lost: [2] })

  await regain()

  expect(cluster.recordOf('dev')).toMatchObject({ regaining: [2] })
})

test('continues with the members that were chosen before an interruption, and is unfinished until a restore', async () => {
  const { cut, cluster, diagnose, regain } = await planeOf(3, { waiting: [1], lost: [0, 2] })
  cut.isOff = true

  const error = await rejectionOf(regain())
  cut.isOff = false
  const between = await diagnose()
  await regain()

  expect(error.message).toBe('the host is gone')
  expect(between).toMatchObject({ isUnfinished: true })
  expect(between.survivors).toMatchObject([{ instance: 'vplane-dev-etcd-1' }])
  expect(cluster.recordOf('dev')).toMatchObject({ regaining: [0] })
  const after = await diagnose()
  expect(after.isUnfinished).toBe(true)
  expect(after.survivors).toHaveLength(2)
})

test('changes nothing when etcd has a majority', async () => {
  const { cluster, regain } = await planeOf(3, { lost: [2] })

  const error = await rejectionOf(regain())

  expect(error).toMatchObject({ code: 'FAILED', message: 'etcd of "dev" has a majority' })
  expect(cluster.recordOf('dev')).not.toHaveProperty('regaining')
})

/** A plane whose etcd has restarted members, and some without data or with damaged data. */
async function planeOf(
  count: 3 | 5,
  {
    corrupt = [],
    lost = [],
    waiting = [],
  }: Partial<Record<'corrupt' | 'lost' | 'waiting', number[]>>,
) {
  const cut = { isOff: false }
  const plane = await illPlane(count, {
    onRequest: ({ path, verb }) => {
      if (cut.isOff && verb === 'delete' && path === POD(0)) {
        throw new VplaneError('UNREACHABLE', 'the host is gone')
      }
    },
  })
  const { cluster, context, etcd, ill, stored } = plane
  lost.forEach((ordinal) => ill(ordinal, NO_DATA))
  corrupt.forEach((ordinal) => ill(ordinal, CORRUPT))
  waiting.forEach((ordinal) => etcd.waiting.add(ordinal))
  const at = { place: PLACE, id: stored.record.id }
  const signal = () => AbortSignal.timeout(TIMEOUT_MS)
  return {
    cluster,
    cut,
    etcd,
    diagnose: async () => {
      const now = await readPlane(cluster.api, at, signal())
      return diagnosePlane(context(), now, signal())
    },
    regain: () => regainMajority(context(), at, cluster.operation({ signal: signal() })),
  }
}

/** A pod that was made a moment ago and is not ready. */
function startingPod(
  { api, time }: Awaited<ReturnType<typeof planeOf>>['cluster'],
  ordinal: number,
) {
  const pod = api.objects.get(POD(ordinal))
  expect.assert(pod !== undefined)
  return {
    ...pod,
    metadata: { ...pod.metadata, creationTimestamp: time.toISOString() },
    status: {
      conditions: [{ type: 'Ready', status: 'False' }],
      containerStatuses: [{ name: 'etcd', state: { running: {} } }],
    },
  }
}

/** The pods of the plane, by their components. */
function podsOf({ api }: Awaited<ReturnType<typeof planeOf>>['cluster']): string[] {
  return [...api.objects.keys()]
    .filter((path) => path.includes('/pods/'))
    .map((path) => path.replace(/.*vplane-dev-/, ''))
    .toSorted()
}
