import { expect, test } from 'vitest'
import {
  holdInNamespace,
  type HoldOptions,
} from '../../../../src/drivers/kubernetes/namespace/hold-namespace.ts'
import { refusing } from '../../../support/driver/refusing.ts'
import { rejectionOf } from '../../../support/thrown-by.ts'
import { FakeCluster } from '../fake-cluster.ts'

const NEW = '/api/v1/namespaces/new'

test('holds a plane in a namespace that is there, without asking for it', async () => {
  const cluster = new FakeCluster()

  await using hold = await holdInNamespace(cluster.api, holdOptions({ namespace: 'team-a' }))

  expect(hold.createdNamespace).toBe(false)
  expect(cluster.api.requests).toEqual([
    'create /apis/coordination.k8s.io/v1/namespaces/team-a/leases',
  ])
})

test('makes a namespace that is missing, and marks whom it was made for', async () => {
  const cluster = new FakeCluster()

  {
    await using hold = await holdInNamespace(cluster.api, holdOptions())
    expect(hold.createdNamespace).toBe(true)
  }

  expect(cluster.api.objects.get(NEW)).toMatchObject({
    metadata: {
      labels: { 'app.kubernetes.io/managed-by': 'vplane' },
      annotations: { 'vplane.dev/created-for': 'an-id' },
    },
  })
  expect(cluster.remains('new')).toEqual([])
})

test('makes none that it may not make', async () => {
  const cluster = new FakeCluster()

  const holding = holdInNamespace(cluster.api, holdOptions({ createFor: undefined }))

  expect(await rejectionOf(holding)).toMatchObject({
    code: 'NOT_FOUND',
    message: 'namespace "new" does not exist',
    hints: ['kubectl create namespace new', '--create-namespace'],
  })
})

test('takes one that someone else makes in the same moment for theirs', async () => {
  const cluster = new FakeCluster({
    onRequest: ({ path, verb }) => {
      if (path === '/api/v1/namespaces' && verb === 'create') {
        cluster.api.put(NEW, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'new' } })
      }
    },
  })

  await using hold = await holdInNamespace(cluster.api, holdOptions())

  expect(hold.createdNamespace).toBe(false)
})

test('says what the host says when it makes no namespaces for us', async () => {
  const cluster = new FakeCluster(refusing(403, 'namespaces is forbidden', /v1\/namespaces$/))

  const error = await rejectionOf(holdInNamespace(cluster.api, holdOptions()))

  expect(error.message).toBe('namespaces is forbidden')
})

function holdOptions(fields: Partial<HoldOptions> = {}): HoldOptions {
  return {
    name: 'dev',
    namespace: 'new',
    createFor: 'an-id',
    now: () => new Date('2026-06-01T12:00:00Z'),
    signal: AbortSignal.timeout(5000),
    ...fields,
  }
}
