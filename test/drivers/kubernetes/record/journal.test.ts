import { expect, test } from 'vitest'
import { objectPath } from '../../../../src/shared/kube/collections.ts'
import type { HostApi } from '../../../../src/drivers/kubernetes/host/host-api.ts'
import { Journal } from '../../../../src/drivers/kubernetes/record/journal.ts'
import {
  isReadableRecord,
  readRecord,
} from '../../../../src/drivers/kubernetes/record/record-store.ts'
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

test('stops when the plane was deleted meanwhile', async () => {
  const { cluster, journal } = await begun()
  cluster.api.remove(PATH)

  const error = await rejectionOf(journal.step('stopping etcd'))

  expect(error).toMatchObject({
    code: 'CONTROL_PLANE_NOT_FOUND',
    message: '"dev" was deleted meanwhile',
  })
})

test('stops when the plane was deleted and created again meanwhile', async () => {
  const { cluster, journal } = await begun()
  cluster.api.remove(PATH)
  await cluster.store('dev', { id: 'another' })

  const error = await rejectionOf(journal.step('stopping etcd'))

  expect(error.code).toBe('CONTROL_PLANE_NOT_FOUND')
})

test('continues after a write that was sent twice because its response was lost', async () => {
  const { cluster } = await begun()
  const { api } = cluster
  const twice: typeof api.replace = async (path, object, options) => {
    await api.replace(path, object, options)
    return api.replace(path, object, options)
  }
  const journal = await begunOn(cluster, LEASE, {
    get: (path, options) => api.get(path, options),
    replace: twice,
  })

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

async function begunOn(
  cluster: FakeCluster,
  lease = LEASE,
  api: Pick<HostApi, 'get' | 'replace'> = cluster.api,
): Promise<Journal> {
  const { signal } = cluster.operation()
  const stored = await readRecord(cluster.api, { name: 'dev', namespace: 'team-a' }, { signal })
  if (stored === undefined || !isReadableRecord(stored)) {
    throw new Error('no record')
  }
  return new Journal(api, { lease, stored, operation: 'pause', now: () => cluster.time, signal })
}
