import { expect, test } from 'vitest'
import type { ChangeContext } from '../../../../src/drivers/kubernetes/objects/change-context.ts'
import { wantedMembers } from '../../../../src/drivers/kubernetes/etcd/members/planned-etcd.ts'
import { reconcileMembers } from '../../../../src/drivers/kubernetes/etcd/members/reconcile-members.ts'
import type { KubeObject } from '../../../../src/shared/kube/kube-object.ts'
import { Journal } from '../../../../src/drivers/kubernetes/record/journal.ts'
import { workloadPath } from '../../../../src/drivers/kubernetes/observed/workloads.ts'
import { etcdCluster } from '../../../../src/etcd/members/etcd-cluster.ts'
import {
  COMPONENT_LABEL,
  objectLabels,
  objectName,
} from '../../../../src/manifests/object-names.ts'
import { isReadyPod } from '../../../../src/drivers/kubernetes/observed/observed-plane.ts'
import { etcdConnection, etcdGateway } from '../../../support/etcd-gateway.ts'
import { rejectionOf } from '../../../support/thrown-by.ts'
import { FakeCluster } from '../fake-cluster.ts'

const PLACE = { name: 'dev', namespace: 'team-a' }

test('replaces one member after the other, and the leader last', async () => {
  const world = await etcdOfThree({ leader: 0 })
  world.template('new')

  await world.roll()

  expect(world.replaced()).toEqual([1, 2, 0])
  expect(world.calls).toEqual(['lead 1'])
})

test.for([
  ['NOSPACE', undefined, [1, 2, 0]],
  ['CORRUPT', 'etcd of "dev" has raised an alarm', []],
] as const)(
  'with the alarm %s ends with %j, and replaces %j',
  async ([alarm, message, replaced]) => {
    const world = await etcdOfThree({ leader: 0, alarms: [{ memberId: '1', kind: alarm }] })
    world.template('new')

    const rolled = await world.roll().catch((error: unknown) => Object(error).message)

    expect(rolled).toBe(message)
    expect(world.replaced()).toEqual(replaced)
  },
)

test('removes none of two damaged members that three need, though all of them work', async () => {
  const world = await etcdOfThree()

  const error = await rejectionOf(world.roll({ timeoutMs: 2000, damaged: [0, 2] }))

  expect(error.message).toContain('etcd would have no majority')
  expect(world.calls).toEqual([])
  expect(world.replaced()).toEqual([])
})

test('replaces no member while the host does not create the pod of another one', async () => {
  const world = await etcdOfThree()
  world.template('new')
  world.cluster.api.objects.delete(pathOf(2))

  const error = await rejectionOf(world.roll({ timeoutMs: 1000 }))

  expect(error).toMatchObject({
    code: 'TIMED_OUT',
    message: expect.stringContaining('vplane-dev-etcd-2'),
  })
  expect(world.replaced()).toEqual([])
})

test('replaces no member while another one reports that it does not work', async () => {
  const world = await etcdOfThree({ working: [0, 1] })
  world.template('new')

  const error = await rejectionOf(world.roll({ timeoutMs: 1000 }))

  expect(error).toMatchObject({
    code: 'FAILED',
    message: expect.stringContaining('vplane-dev-etcd-2 of "dev" does not work'),
  })
  expect(world.replaced()).toEqual([])
})

test.for([0, 1, 2])('replaces member %i first when it does not work', async (ordinal) => {
  const world = await etcdOfThree({ leader: 2 })
  world.template('bad flag')
  world.crash(ordinal)
  world.template('other flag')

  await world.roll()

  expect(world.replaced()[0]).toBe(ordinal)
  expect(world.replaced()).toHaveLength(3)
})

test('repairs several members that do not work, though etcd has no majority', async () => {
  const world = await etcdOfThree()
  world.crash(0)
  world.crash(2)
  world.template('new')

  await world.roll()

  expect(world.replaced()).toEqual([0, 2, 1])
})

test('names the members that do not work when there is nothing to replace', async () => {
  const world = await etcdOfThree()
  world.cluster.api.objects.delete(pathOf(1))

  await world.roll()

  expect(world.replaced()).toEqual([])
  expect(world.cluster.ui.warnings).toEqual([
    'vplane-dev-etcd-1 of etcd does not work; vplane repair dev --namespace team-a',
  ])
})

test('waits for a majority of the wanted members, not of the pods', async () => {
  const world = await etcdOfThree()
  world.cluster.api.objects.delete(pathOf(1))
  world.cluster.api.objects.delete(pathOf(2))

  const error = await rejectionOf(world.roll({ timeoutMs: 50 }))

  expect(error.code).toBe('TIMED_OUT')
})

const ORDINALS = [0, 1, 2]

/** A plane with three members of etcd, of which nothing else is there. */
async function etcdOfThree({
  alarms = [],
  leader = 0,
  working = [0, 1, 2],
}: {
  alarms?: Array<{ memberId: string; kind: string }>
  leader?: number
  working?: number[]
} = {}) {
  const cluster = new FakeCluster()
  const userSpec = { etcd: { replicas: 3 as const } }
  const stored = await cluster.store('dev', { userSpec })
  const { signal } = cluster.operation()
  const lease = { holder: 'me', check: () => Promise.resolve() }
  const now = () => cluster.time
  const journal = new Journal(cluster.api, { lease, stored, operation: 'change', now, signal })
  const labels = { ...objectLabels('dev'), [COMPONENT_LABEL]: 'etcd' }
  const metadata = { name: objectName('dev', 'etcd'), namespace: 'team-a', labels }
  const template = (text: string) => {
    const spec = { replicas: 3, template: { text } }
    const object = { apiVersion: 'apps/v1', kind: 'StatefulSet', metadata, spec }
    cluster.api.put(workloadPath(PLACE, 'etcd'), object)
  }
  template('old')
  cluster.api.put('/api/v1/namespaces/team-a/configmaps/vplane-dev-etcd', {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'vplane-dev-etcd', namespace: 'team-a', labels },
    data: Object.fromEntries(ORDINALS.map((ordinal) => [`${ordinal}.json`, fileOf(ordinal)])),
  })
  const calls: string[] = []
  let leading = leader
  let hash = 0
  const gateway = await etcdGateway((path, body) => {
    if (path.endsWith('/transfer-leadership')) {
      leading = Number(Object(body).targetID)
      calls.push(`lead ${leading}`)
    }
    if (path.endsWith('/member/remove')) {
      calls.push(`remove ${Object(body).ID}`)
    }
    // No two members have the same data, which only matters with an alarm.
    hash += 1
    return [200, { hash }]
  })
  const runs = (ordinal: number) => {
    const pod = cluster.api.objects.get(pathOf(ordinal))
    return working.includes(ordinal) && pod !== undefined && isReadyPod(pod)
  }
  const hasMajority = () => ORDINALS.filter(runs).length > 1
  const statusOf = (ordinal: number) => ({
    id: String(ordinal),
    ...(hasMajority() ? { leader: String(leading) } : {}),
    revision: 1,
    isLearner: false,
    databaseBytes: 0,
    inUseBytes: 0,
  })
  const voter = { isLearner: false, hasStarted: true }
  const probe = async () => ({
    statuses: ORDINALS.map((ordinal) => (runs(ordinal) ? statusOf(ordinal) : undefined)),
    ...(hasMajority()
      ? {
          leader: String(leading),
          members: ORDINALS.map((ordinal) => ({ id: String(ordinal), ordinal, ...voter })),
        }
      : {}),
    alarms,
  })
  const etcd = etcdCluster({
    what: 'etcd',
    at: (ordinal) => etcdConnection(`member ${ordinal}`, gateway.dial),
    peerUrl: String,
    count: () => 3,
  })
  const before = cluster.api.writes.length
  return {
    cluster,
    calls,
    template,
    /** Lets a member end and not come back; its pod is there. */
    crash: (ordinal: number) => {
      const pod: KubeObject | undefined = cluster.api.objects.get(pathOf(ordinal))
      expect.assert(pod !== undefined)
      cluster.api.put(pathOf(ordinal), { ...pod, status: {} })
    },
    /** @param damaged the ordinals of members whose data cannot be used. @default none */
    roll: ({ damaged = [], timeoutMs = 5000 }: { damaged?: number[]; timeoutMs?: number } = {}) => {
      // None of them has a claim here.
      const holders = new Set(damaged.map((ordinal) => `none at ${ordinal}`))
      const context: ChangeContext = {
        ...cluster.driverContext(),
        host: cluster,
        journal,
        place: PLACE,
        operation: cluster.operation({ timeoutMs }),
        files: {},
      }
      return reconcileMembers(
        { ...context, cluster: { ...etcd, probe } },
        wantedMembers(journal.record, { renews: true, damaged: holders }),
      )
    },
    /** The ordinals whose pods were deleted, in their order. */
    replaced: () =>
      cluster.api.writes
        .slice(before)
        .filter((request) => request.startsWith('delete '))
        .map((request) => Number(request.at(-1))),
  }
}

function pathOf(ordinal: number): string {
  return `/api/v1/namespaces/team-a/pods/vplane-dev-etcd-${ordinal}`
}

/** The file of a member that must not start without data. */
function fileOf(ordinal: number): string {
  const name = `vplane-dev-etcd-${ordinal}`
  return JSON.stringify({
    name,
    'initial-advertise-peer-urls': `https://${name}:2380`,
    'initial-cluster': `${name}=https://${name}:2380`,
    'initial-cluster-state': 'existing',
  })
}
