import { expect, test } from 'vitest'
import { replaceStranded } from '../../../../src/drivers/kubernetes/data/replace-stranded.ts'
import { FakeCluster } from '../fake-cluster.ts'
import { strandVolume } from '../strand-volume.ts'

const CLAIM = (ordinal: number) =>
  `/api/v1/namespaces/team-a/persistentvolumeclaims/data-vplane-dev-etcd-${ordinal}`

test('takes away the claims whose volumes are on nodes that are gone, and no others', async () => {
  const cluster = new FakeCluster()
  const userSpec = { etcd: { replicas: 3 as const } }
  const { record } = await cluster.store('dev', { userSpec })
  strandVolume(cluster.api, 'vplane-dev-etcd-1')
  strandVolume(cluster.api, 'vplane-dev-etcd-2', { value: 'node-2' })
  const steps: string[] = []
  const step = (said: string) => Promise.resolve(void steps.push(said))

  await replaceStranded(
    cluster,
    { record, step },
    { place: { name: 'dev', namespace: 'team-a' }, operation: cluster.operation() },
  )

  expect(cluster.api.objects.has(CLAIM(1))).toBe(false)
  expect(cluster.api.objects.has(CLAIM(2))).toBe(true)
  expect(steps).toEqual(['removing the volume of vplane-dev-etcd-1'])
  expect(cluster.ui.steps).toEqual([
    'Giving vplane-dev-etcd-1 a new volume: its volume is on node "node-1", which is gone',
  ])
})
