import { expect, test } from 'vitest'
import { ownedByNamespace } from '../../../../src/drivers/kubernetes/host/owned-by-namespace.ts'
import { planeManifests } from '../../../../src/manifests/render/plane-manifests.ts'
import { manifestInputOf } from '../../../manifests/manifest-input-of.ts'
import { refusing } from '../../../support/driver/refusing.ts'
import { FakeCluster } from '../fake-cluster.ts'

const PLACE = { namespace: 'team-a', signal: new AbortController().signal }
const manifests = planeManifests(manifestInputOf({ sync: { nodes: true } }))

test('makes the namespace the owner of cluster-wide objects, and of nothing else', async () => {
  const { api } = new FakeCluster()
  const uid = api.objects.get('/api/v1/namespaces/team-a')?.metadata.uid

  const objects = await ownedByNamespace(api, manifests, PLACE)

  const owners = [{ apiVersion: 'v1', kind: 'Namespace', name: 'team-a', uid }]
  const owned = objects.filter(({ metadata }) => metadata['ownerReferences'] !== undefined)
  expect(owned.map(({ kind }) => kind)).toEqual(['ClusterRole', 'ClusterRoleBinding'])
  expect(owned[0]?.metadata['ownerReferences']).toEqual(owners)
  expect(objects).toHaveLength(manifests.length)
})

test('does not read the namespace without cluster-wide objects', async () => {
  const { api } = new FakeCluster()

  await ownedByNamespace(api, planeManifests(manifestInputOf({ sync: {} })), PLACE)

  expect(api.requests).toEqual([])
})

test('sets no owner when the user may not read the namespace', async () => {
  const { api } = new FakeCluster(refusing(403, 'namespaces is forbidden'))

  expect(await ownedByNamespace(api, manifests, PLACE)).toEqual(manifests)
})
