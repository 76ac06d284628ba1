import { expect, test, vi } from 'vitest'
import { hostCertificates } from '../../../src/drivers/kubernetes/driver-parts.ts'
import { readKeys } from '../../../src/drivers/kubernetes/objects/plane-keys.ts'
import { pausePlane } from '../../../src/drivers/kubernetes/lifecycle/pause-plane.ts'
import { toPlane } from '../../../src/drivers/kubernetes/record/plane-record.ts'
import { rejectionOf } from '../../support/thrown-by.ts'
import { FakeCluster } from './fake-cluster.ts'

const { signal } = new AbortController()

async function madePlane() {
  const cluster = new FakeCluster()
  const stored = await cluster.create('dev')
  const plane = toPlane(stored.record, { ...stored, hostContext: 'work' })
  const certificates = hostCertificates(cluster.driverContext(), () => {})
  return { certificates, cluster, plane, stored, keys: () => readKeys(cluster.api, stored, signal) }
}

test('renews every leaf, and neither CAs nor keys', async () => {
  const { certificates, cluster, keys, plane } = await madePlane()
  const before = await keys()
  const leaves = (await certificates.list(plane)).filter(({ kind }) => kind === 'leaf')

  const issued = await certificates.renewLeaves(plane, cluster.operation())

  const after = await keys()
  const changed = Object.keys(after).filter((name) => after[name] !== before[name])
  expect(issued).toEqual(leaves.map(({ name }) => name))
  expect(changed.toSorted()).toEqual(
    issued.flatMap((name) => [`${name}.crt`, `${name}.key`]).toSorted(),
  )
  expect(cluster.recordOf('dev')).not.toHaveProperty('journal')
})

test('reports a host cluster that gives no answer in time', async () => {
  const { certificates, cluster, plane } = await madePlane()
  const asked = Promise.withResolvers<AbortSignal | undefined>()
  cluster.api.list = async (_path, request) => {
    const limit = request?.signal
    asked.resolve(limit)
    return new Promise((_, reject) => {
      limit?.addEventListener('abort', () => reject(limit.reason))
    })
  }
  vi.useFakeTimers({ toFake: ['setTimeout'] })
  using _ = { [Symbol.dispose]: () => void vi.useRealTimers() }

  const listing = rejectionOf(certificates.list(plane))
  await asked.promise
  vi.advanceTimersByTime(30_000)

  expect(await listing).toMatchObject({
    code: 'TIMED_OUT',
    message: 'no answer from the host cluster within 30 s',
  })
})

test('replaces only Secrets, and leaves a paused plane paused', async () => {
  const { certificates, cluster, plane, stored } = await madePlane()
  await pausePlane(cluster.driverContext(), stored, cluster.operation())
  const before = cluster.api.writes.length

  await certificates.renewLeaves(plane, cluster.operation())

  const writes = cluster.api.writes.slice(before)
  expect(writes.filter((write) => !/\/(secrets|leases)(\/|$)/.test(write))).toEqual([])
  expect(cluster.recordOf('dev')).toMatchObject({ desired: 'paused' })
  expect(cluster.pods()).toEqual([])
})
