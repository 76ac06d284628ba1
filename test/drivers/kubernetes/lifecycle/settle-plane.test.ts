import { expect, test } from 'vitest'
import type { ComponentProblem } from '../../../../src/drivers/kubernetes/context/problem.ts'
import { settlePlane } from '../../../../src/drivers/kubernetes/lifecycle/settle-plane.ts'
import { VplaneError } from '../../../../src/shared/errors.ts'
import { rejectionOf } from '../../../support/thrown-by.ts'
import { FakeCluster } from '../fake-cluster.ts'
import { problemOf } from '../problem-of.ts'
import { POD, told } from '../repair/ill-plane.ts'

const PLACE = { name: 'dev', namespace: 'team-a' }

test('returns when each of three members knows that an empty volume is a loss', async () => {
  const { cluster, settle } = await madePlane()
  const before = told(cluster)

  await settle()
  const writes = cluster.api.writes.length
  await settle()

  expect(before).toEqual([3, 3, 3])
  expect(told(cluster)).toEqual([1, 1, 1])
  expect(cluster.recordOf('dev')).toMatchObject({ hasData: true })
  expect(cluster.api.writes).toHaveLength(writes)
})

test('waits for a member that begins later than those by which the API answers', async () => {
  const { cluster, setReady, settle } = await madePlane()
  setReady(2, false)
  let isOver = false

  const settling = settle().then(() => (isOver = true))
  await expect.poll(() => cluster.ui.steps).toContain('Waiting for all members of etcd')
  const early = { isOver, told: told(cluster) }
  setReady(2, true)
  await settling

  expect(early).toEqual({ isOver: false, told: [3, 3, 3] })
  expect(told(cluster)).toEqual([1, 1, 1])
})

test('does not wait for a command that has to finish an interrupted change first', async () => {
  const { cluster, record, settle } = await madePlane()
  await cluster.changeRecord('dev', { previousSpec: record.spec })

  await settle()

  expect(cluster.recordOf('dev')).toMatchObject({ hasData: false })
})

test('fails when a member can never run, with the reason', async () => {
  const { setReady, settle } = await madePlane()
  setReady(1, false)

  const error = await rejectionOf(settle([problemOf('etcd')]))

  expect(error).toMatchObject({
    code: 'COMPONENT_FAILED',
    message: 'etcd of "dev" cannot run: its image cannot be had',
  })
})

test('warns when another manager owns the configuration', async () => {
  let isManaged = false
  const { cluster, settle } = await madePlane(({ path, verb }) => {
    if (isManaged && verb === 'apply' && path.includes('/configmaps/vplane-dev-etcd')) {
      throw new VplaneError('CONFLICT', '"kubectl-client-side-apply" manages it')
    }
  })
  isManaged = true

  await settle()

  const warning = expect.stringContaining('"kubectl-client-side-apply" manages it')
  expect(cluster.ui.warnings).toEqual([warning])
  expect(cluster.recordOf('dev')).not.toHaveProperty('journal')
})

type OnRequest = NonNullable<ConstructorParameters<typeof FakeCluster>[0]>['onRequest']

/** A plane with three members of etcd that was just made. */
async function madePlane(onRequest: OnRequest = () => {}) {
  const cluster = new FakeCluster({ onRequest })
  const { record } = await cluster.create('dev', { userSpec: { etcd: { replicas: 3 } } })
  return {
    cluster,
    record,
    setReady: (ordinal: number, isReady: boolean) => {
      const pod = cluster.api.objects.get(POD(ordinal))
      expect.assert(pod !== undefined)
      const conditions = [{ type: 'Ready', status: isReady ? 'True' : 'False' }]
      cluster.api.put(POD(ordinal), { ...pod, status: { conditions } })
    },
    settle: (problems: ComponentProblem[] = []) =>
      settlePlane(
        cluster.driverContext({ diagnose: () => Promise.resolve(problems) }),
        { place: PLACE, id: record.id },
        cluster.operation(),
      ),
  }
}
