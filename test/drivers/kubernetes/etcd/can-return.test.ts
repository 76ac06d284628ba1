import { expect, test } from 'vitest'
import { canReturn } from '../../../../src/drivers/kubernetes/etcd/can-return.ts'
import { createPlane } from '../../../../src/drivers/kubernetes/lifecycle/create-plane.ts'
import { storedKeys } from '../../../../src/drivers/kubernetes/objects/stored-keys.ts'
import { etcdGateway } from '../../../support/etcd-gateway.ts'
import { FakeCluster, requestFor } from '../fake-cluster.ts'

const PLACE = { name: 'dev', namespace: 'team-a' }
const POD = '/api/v1/namespaces/team-a/pods/vplane-dev-etcd-0'
const ran = { containerID: 'containerd://1', restartCount: 0 }

test.for([
  ['never started', [{ restartCount: 0, state: { waiting: {} } }], undefined, true],
  ['has no container yet', undefined, undefined, true],
  ['ran and says nothing', [ran], undefined, false],
  ['crashes', [{ restartCount: 3 }], undefined, false],
  ['works by the minor before', [ran], '3.6.0', true],
  ['works by its own minor', [ran], '3.7.0', false],
] as const)('where a member %s', async ([, containerStatuses, etcdcluster, isFine]) => {
  const cluster = new FakeCluster()
  const operation = cluster.operation()
  await createPlane(cluster.driverContext(), requestFor('dev'), operation)
  const files = await storedKeys(cluster.api, PLACE, operation.signal)
  const { dial } = await etcdGateway(() => [200, { etcdserver: '3.7.0', etcdcluster }], files)
  cluster.forward = () => (etcdcluster === undefined ? Promise.reject(new Error('no')) : dial())
  const pod = cluster.api.objects.get(POD)
  expect.assert(pod !== undefined)
  cluster.api.put(POD, { ...pod, status: { containerStatuses } })

  const answer = await canReturn(cluster, PLACE, { version: '3.6.16', signal: operation.signal })

  expect(answer).toBe(isFine)
})
