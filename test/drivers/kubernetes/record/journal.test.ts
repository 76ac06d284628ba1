import { expect, test } from 'vitest'
import { objectPath } from '../../../../src/shared/kube/collections.ts'
import { resolveSpec } from '../../../../src/control-plane/spec/resolve-spec.ts'
import { Journal } from '../../../../src/drivers/kubernetes/record/journal.ts'
import { VplaneError } from '../../../../src/shared/errors.ts'
import { rejectionOf } from '../../../support/thrown-by.ts'
import { FakeCluster } from '../fake-cluster.ts'

const PATH = objectPath('secrets', { name: 'vplane-dev-record', namespace: 'team-a' })
const LEASE = { holder: 'me_1_b7', check: () => Promise.resolve() }

test('records each step before it is done, with the changes', async () => {
  const { cluster, journal } = await begun()

  await journal.step('stopping etcd', { desired: 'paused' })

  expect(cluster.recordOf('dev')).toMatchObject({
    desired: 'paused',
    journal: {
      operation: 'pause',
      step: 'stopping etcd',
      at: '2026-06-01T12:00:00.000Z',
      holder: 'me_1_b7',
    },
  })
  expect(journal.record.desired).toBe('paused')
})

test('removes the entry of a finished operation', async () => {
  const { cluster, journal } = await begun()
  await journal.step('stopping etcd')

  await journal.finish({ desired: 'paused' })

  expect(cluster.recordOf('dev')).toMatchObject({ desired: 'paused' })
  expect(cluster.recordOf('dev')).not.toHaveProperty('journal')
})

test('keeps the account of an interrupted operation that another one leaves unfinished', async () => {
  const { cluster } = await begun()
  const at = '2026-06-01T11:00:00.000Z'
  const change = {
    operation: 'change',
    step: 'changing etcd',
    since: at,
    at,
    holder: 'gone',
  } as const
  const previousSpec = resolveSpec({}, 'kubernetes')
  await cluster.changeRecord('dev', { journal: change, previousSpec })
  const pause = await begunOn(cluster)

  await pause.step('stopping etcd', { desired: 'paused' })
  const during = cluster.recordOf('dev')
  await pause.finish()

  expect(during).toMatchObject({ journal: { operation: 'pause', parent: change } })
  expect(cluster.recordOf('dev')).toMatchObject({ journal: change })

  const again = await begunOn(cluster)
  await again.step('stopping etcd')
  await again.finish({ previousSpec: undefined })
  expect(cluster.recordOf('dev')).not.toHaveProperty('journal')
})

test('stops when another vplane has written since, and overwrites nothing', async () => {
  const { cluster, journal } = await begun()
  const other = await begunOn(cluster)
  await other.step('stopping kube-apiserver')

  const error = await rejectionOf(journal.step('stopping etcd'))

  expect(error).toMatchObject({
    code: 'CONFLICT',
    message: 'another vplane works on "dev"',
    hints: ['run the command again: it continues from where it was'],
  })
  expect(cluster.recordOf('dev')).toMatchObject({ journal: { step: 'stopping kube-apiserver' } })
})

test('stops when the plane was deleted meanwhile, also when it was created again', async () => {
  const { cluster, journal } = await begun()
  cluster.api.remove(PATH)

  const gone = await rejectionOf(journal.step('stopping etcd'))
  await cluster.store('dev', { id: 'another' })
  const other = await rejectionOf(journal.step('stopping etcd'))

  const deleted = { code: 'CONTROL_PLANE_NOT_FOUND', message: '"dev" was deleted meanwhile' }
  expect(gone).toMatchObject(deleted)
  expect(other).toMatchObject(deleted)
})

test('continues after a write that was sent twice because its response was lost', async () => {
  const { cluster, journal } = await begun()
  const { api } = cluster
  const replace = api.replace.bind(api)
  api.replace = async (...request) => {
    await replace(...request)
    return replace(...request)
  }

  await journal.step('stopping etcd')
  await journal.finish()

  expect(cluster.recordOf('dev')).not.toHaveProperty('journal')
})

test('checks the Lease before each write', async () => {
  const lost = new VplaneError('CONFLICT', 'stopped working on "dev"')
  const { cluster } = await begun()
  const check = () => Promise.reject(lost)
  const journal = await begunOn(cluster, { ...LEASE, check })
  const before = cluster.api.writes.length

  expect(await rejectionOf(journal.step('stopping etcd'))).toBe(lost)
  expect(await rejectionOf(journal.finish())).toBe(lost)
  expect(cluster.api.writes).toHaveLength(before)
})

async function begun() {
  const cluster = new FakeCluster()
  await cluster.store('dev')
  return { cluster, journal: await begunOn(cluster) }
}

async function begunOn(cluster: FakeCluster, lease = LEASE): Promise<Journal> {
  const { api, time } = cluster
  const { signal } = cluster.operation()
  const stored = await cluster.stored('dev')
  return new Journal(api, { lease, stored, operation: 'pause', now: () => time, signal })
}
