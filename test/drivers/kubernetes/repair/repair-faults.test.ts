import { expect, test } from 'vitest'
import type { UserSpec } from '../../../../src/control-plane/spec/spec.ts'
import { diagnosePlane } from '../../../../src/drivers/kubernetes/repair/diagnose-plane.ts'
import { repairFaults } from '../../../../src/drivers/kubernetes/repair/repair-faults.ts'
import { VplaneError } from '../../../../src/shared/errors.ts'
import { rejectionOf } from '../../../support/thrown-by.ts'
import { EPHEMERAL, type FakeCluster } from '../fake-cluster.ts'
import { strandVolume } from '../strand-volume.ts'
import { illPlane, NO_DATA, POD, told, toldAtRemovals } from './ill-plane.ts'

const TIMEOUT_MS = 25_000

test('replaces the data of the first of three members, and forbids new members again', async () => {
  const { cluster, diagnose, etcd, ill, repair } = await planeOf(3)
  ill(0, NO_DATA)

  const found = await diagnose()
  await repair()

  expect(found).toEqual([['vplane-dev-etcd-0', 'replace']])
  expect(etcd.done).toEqual(['remove 10', 'add 0', 'promote 21'])
  expect(await diagnose()).toEqual([])
  expect(cluster.recordOf('dev')).not.toHaveProperty('joining')
  expect(told(cluster)).toEqual([1, 1, 1])
})

test('removes both of two members before the first one joins again', async () => {
  const { cluster, etcd, ill, repair } = await planeOf(5)
  ill(1, NO_DATA)
  ill(4, NO_DATA)
  const seen = toldAtRemovals(cluster)

  await repair()

  expect(etcd.done).toEqual([
    'remove 11',
    'remove 14',
    'add 1',
    'promote 21',
    'add 4',
    'promote 22',
  ])
  // etcd accepts no member that knows of other members than it has.
  expect(seen).toEqual([
    [1, 4, 1, 1, 1],
    [1, 1, 1, 1, 5],
  ])
})

test('changes nothing when another member has lost its data than was shown', async () => {
  const { cluster, context, etcd, ill, repair, stored } = await planeOf(3)
  ill(2, NO_DATA)
  const before = uidsOf(cluster)
  const operation = patient(cluster)
  const shown = [
    { component: 'etcd', instance: 'vplane-dev-etcd-1', reason: '', remedy: 'replace' },
  ] as const

  const unshown = await repairFaults(context(), stored, { operation, shown })

  expect(unshown?.faults).toMatchObject([{ instance: 'vplane-dev-etcd-2', remedy: 'replace' }])
  expect(etcd.done).toEqual([])
  expect(uidsOf(cluster)).toEqual(before)
  expect(await repair()).toBeUndefined()
  expect(etcd.done).toEqual(['remove 12', 'add 2', 'promote 21'])
})

test('changes no member while etcd has no majority', async () => {
  const { cluster, diagnose, etcd, ill, repair } = await planeOf(3)
  ill(0, NO_DATA)
  ill(2, NO_DATA)
  const before = uidsOf(cluster)

  const found = await diagnose()
  await repair()

  expect(found).toEqual([
    ['vplane-dev-etcd-0', 'choose'],
    ['vplane-dev-etcd-2', 'choose'],
  ])
  expect(etcd.done).toEqual([])
  expect(uidsOf(cluster)).toEqual(before)
})

test('replaces the member that differs from a majority, whichever the alarm names', async () => {
  const { diagnose, etcd, repair } = await planeOf(3)
  // As etcd's periodic check does when the leader is the corrupt one.
  etcd.alarms.push({ memberID: '10', alarm: 'CORRUPT' }, { memberID: '12', alarm: 'CORRUPT' })
  etcd.hashes.set(1, 8)

  const found = await diagnose()
  await repair()

  expect(found).toEqual([['vplane-dev-etcd-1', 'replace']])
  const disarmed = ['end an alarm', 'end an alarm']
  expect(etcd.done).toEqual(['remove 11', 'add 1', 'promote 21', ...disarmed])
  expect(await diagnose()).toEqual([])
})

test('disarms an alarm that a repair left behind', async () => {
  const { diagnose, etcd, repair } = await planeOf(3)
  etcd.alarms.push({ memberID: '99', alarm: 'CORRUPT' })

  const found = await diagnose()
  await repair()

  expect(found).toEqual([['etcd', 'disarm']])
  expect(etcd.done).toEqual(['end an alarm'])
})

test('removes a surplus member that never started before it adds another one', async () => {
  const { diagnose, etcd, ill, repair } = await planeOf(3)
  etcd.join(3, 'learner')
  ill(1, NO_DATA)

  const found = await diagnose()
  await repair()

  expect(found).toEqual([
    ['vplane-dev-etcd-1', 'replace'],
    ['vplane-dev-etcd-3', 'remove'],
  ])
  expect(etcd.done).toEqual(['remove 11', 'remove 21', 'add 1', 'promote 22'])
  expect(await diagnose()).toEqual([])
})

test('removes a surplus member with a vote that does not work', async () => {
  const { diagnose, etcd, repair } = await planeOf(3)
  etcd.join(4, 'voter')

  const found = await diagnose()
  await repair()

  expect(found).toEqual([['vplane-dev-etcd-4', 'remove']])
  expect(etcd.members()).toEqual([0, 1, 2])
})

test('replaces a corrupt member, and disarms its alarm when the others have a new one', async () => {
  const { diagnose, etcd, repair } = await planeOf(3)
  etcd.alarms.push({ memberID: '12', alarm: 'CORRUPT' })
  etcd.hashes.set(2, 8)

  const found = await diagnose()
  await repair()

  expect(found).toEqual([['vplane-dev-etcd-2', 'replace']])
  expect(etcd.done).toEqual(['remove 12', 'add 2', 'promote 21', 'end an alarm'])
  expect(await diagnose()).toEqual([])
})

test('restores a snapshot when nobody can tell which members are corrupt, and leaves them as they are', async () => {
  const { cluster, context, diagnose, etcd, ill, stored } = await planeOf(3)
  etcd.alarms.push({ alarm: 'CORRUPT' })
  etcd.hashes.set(0, 8)
  ill(1, NO_DATA)

  const found = await diagnose()
  const operation = patient(cluster)
  const shown = [
    { component: 'etcd', instance: 'vplane-dev-etcd-1', reason: '', remedy: 'replace' },
  ] as const
  const error = await rejectionOf(repairFaults(context(), stored, { operation, shown }))

  expect(found).toEqual([
    ['etcd', 'restore'],
    ['vplane-dev-etcd-1', 'replace'],
  ])
  expect(error.message).toBe('etcd of "dev" has raised an alarm')
  expect(etcd.done).toEqual([])
  expect(etcd.alarms).toHaveLength(1)
})

test('frees space in a full etcd', async () => {
  const { diagnose, etcd, repair } = await planeOf(3)
  etcd.alarms.push({ memberID: '11', alarm: 'NOSPACE' })

  const found = await diagnose()
  await repair()

  expect(found).toEqual([['vplane-dev-etcd-1', 'free-space']])
  expect(etcd.done).toEqual(['defragment', 'defragment', 'defragment', 'end an alarm'])
})

test('replaces the pod of a member that ended for another reason, and no other', async () => {
  const { cluster, diagnose, etcd, ill, repair } = await planeOf(3)
  const before = uidsOf(cluster)
  ill(2, 'panic: out of luck\n')

  const found = await diagnose()
  await repair()

  expect(found).toEqual([['vplane-dev-etcd-2', 'restart']])
  expect(etcd.done).toEqual([])
  expect(uidsOf(cluster).map((uid, ordinal) => uid === before[ordinal])).toEqual([
    true,
    true,
    false,
  ])
})

test('changes no member on a node that does not answer, and restarts what a majority can serve', async () => {
  const { cluster, diagnose, end, etcd, repair } = await planeOf(3)
  const before = uidsOf(cluster)
  const path = '/api/v1/namespaces/team-a/pods/vplane-dev-kube-apiserver-0'
  const server = cluster.api.objects.get(path)
  expect.assert(server !== undefined)
  end(1, ON_LOST_NODE)
  cluster.api.put(path, { ...server, status: ON_LOST_NODE })
  cluster.time = new Date('2026-06-01T12:02:00Z')

  const found = await diagnose()
  await repair()

  expect(found).toEqual([
    ['vplane-dev-etcd-1', 'none'],
    ['vplane-dev-kube-apiserver-0', 'restart'],
  ])
  expect(etcd.done).toEqual([])
  expect(uidsOf(cluster)).toEqual(before)
  expect(cluster.api.writes).toContain(`delete ${path}`)
})

test('replaces the volume of a member whose node is gone, with the data of the others', async () => {
  const { cluster, diagnose, end, etcd, repair } = await planeOf(3)
  end(2, UNSCHEDULABLE)
  strandVolume(cluster.api, 'vplane-dev-etcd-2')
  const claim = '/api/v1/namespaces/team-a/persistentvolumeclaims/data-vplane-dev-etcd-2'
  labelAsOwn(cluster, claim)

  const former = cluster.api.objects.get(claim)?.metadata.uid

  const found = await diagnose()
  await repair()

  expect(found).toEqual([['vplane-dev-etcd-2', 'replace']])
  expect(etcd.done).toEqual(['remove 12', 'add 2', 'promote 21'])
  expect(cluster.api.objects.get(claim)?.metadata.uid).not.toBe(former)
  expect(await diagnose()).toEqual([])
})

test('changes nothing of the only member, as no other has its data', async () => {
  const { cluster, diagnose, end, repair } = await planeOf(1)
  end(0, UNSCHEDULABLE)
  strandVolume(cluster.api, 'vplane-dev-etcd-0')
  const [before] = uidsOf(cluster)

  const found = await diagnose()
  await repair()

  expect(found).toEqual([['vplane-dev-etcd-0', 'restore']])
  expect(uidsOf(cluster)[0]).toBe(before)
})

test('scales up a component that someone scaled down', async () => {
  const { cluster, diagnose, repair } = await planeOf(1, { apiServer: { replicas: 2 } })
  const path = '/apis/apps/v1/namespaces/team-a/deployments/vplane-dev-kube-apiserver'
  await cluster.api.patch(path, { spec: { replicas: 1 } }, { type: 'merge' })

  const found = await diagnose()
  await repair()

  expect(found).toEqual([['kube-apiserver', 'start']])
  expect(cluster.api.objects.get(path)?.['spec']).toMatchObject({ replicas: 2 })
  expect(await diagnose()).toEqual([])
})

test('does not replace the only pod with the data of an ephemeral plane', async () => {
  const { cluster, diagnose, ill, repair } = await planeOf(1, EPHEMERAL)
  const before = uidsOf(cluster)
  ill(0, 'panic: out of luck\n')

  const found = await diagnose()
  await repair()

  expect(found).toEqual([['vplane-dev-etcd-0', 'none']])
  expect(uidsOf(cluster)).toEqual(before)
})

test('proposes a replacement for a member whose data would be lost with its pod', async () => {
  const { cluster, context, ill, stored } = await planeOf(3)
  const { record } = stored
  const ephemeral = { ...stored, record: { ...record, spec: { ...record.spec, ephemeral: true } } }
  ill(2, 'panic: out of luck\n')

  const { faults } = await diagnosePlane(context(), ephemeral, patient(cluster).signal)

  expect(faults).toMatchObject([{ instance: 'vplane-dev-etcd-2', remedy: 'replace' }])
})

test('continues an interrupted replacement', async () => {
  const { cut, diagnose, etcd, ill, repair } = await planeOf(3)
  ill(1, NO_DATA)
  cut.isOff = true

  const error = await rejectionOf(repair())
  cut.isOff = false
  const found = await diagnose()
  await repair()

  expect(error.message).toBe('the host is gone')
  expect(found).toEqual([['vplane-dev-etcd-1', 'replace']])
  expect(etcd.done.at(-1)).toMatch(/^promote/)
  expect(await diagnose()).toEqual([])
})

/** What the host says of the pods of a node that it has lost, and of one that no node can take. */
const ON_LOST_NODE = {
  conditions: [
    { type: 'Ready', status: 'False' },
    { type: 'ContainersReady', status: 'True' },
  ],
}
const UNSCHEDULABLE = {
  conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable' }],
}

function labelAsOwn({ api }: FakeCluster, path: string): void {
  const object = api.objects.get(path)
  expect.assert(object !== undefined)
  const { labels } = api.objects.get(POD(0))?.metadata ?? {}
  api.put(path, { ...object, metadata: { ...object.metadata, ...(labels && { labels }) } })
}

async function planeOf(count: 1 | 3 | 5, more: UserSpec = {}) {
  const cut = { isOff: false }
  const plane = await illPlane(count, {
    more,
    onRequest: ({ path, verb }) => {
      if (cut.isOff && verb === 'delete' && path === POD(1)) {
        throw new VplaneError('UNREACHABLE', 'the host is gone')
      }
    },
  })
  const { cluster, context, stored } = plane
  return {
    ...plane,
    cut,
    diagnose: async () => {
      const { signal } = patient(cluster)
      const { faults } = await diagnosePlane(context(), stored, signal)
      return faults.map(({ instance, remedy }) => [instance, remedy])
    },
    repair: async () => {
      const operation = patient(cluster)
      const { faults } = await diagnosePlane(context(), stored, operation.signal)
      return repairFaults(context(), stored, { operation, shown: faults })
    },
  }
}

/** Each request is a TLS connection of its own, which takes its time on a busy machine. */
function patient(cluster: FakeCluster) {
  return cluster.operation({ signal: AbortSignal.timeout(TIMEOUT_MS) })
}

function uidsOf(cluster: FakeCluster) {
  return [0, 1, 2].map((ordinal) => cluster.api.objects.get(POD(ordinal))?.metadata.uid)
}
