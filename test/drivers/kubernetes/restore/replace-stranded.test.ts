import { expect, test } from 'vitest'
import { replaceStranded } from '../../../../src/drivers/kubernetes/restore/replace-stranded.ts'
import { rejectionOf } from '../../../support/thrown-by.ts'
import { FakeCluster } from '../fake-cluster.ts'
import { strandVolume } from '../strand-volume.ts'

const CLAIM = (ordinal: number) =>
  `/api/v1/namespaces/team-a/persistentvolumeclaims/data-vplane-dev-etcd-${ordinal}`

test('takes away the claims whose volumes are on nodes that are gone, and no others', async () => {
  const { cluster, replace, steps } = await strandedPlane()
  strandVolume(cluster.api, 'vplane-dev-etcd-2', { value: 'node-2' })

  await replace()

  expect(cluster.api.objects.has(CLAIM(1))).toBe(false)
  expect(cluster.api.objects.has(CLAIM(2))).toBe(true)
  expect(steps).toEqual(['removing the volume of vplane-dev-etcd-1'])
  expect(cluster.ui.steps).toEqual([
    'Giving vplane-dev-etcd-1 a new volume: its volume is on node "node-1", which is gone',
  ])
})

test('keeps a claim that was made again since its volume was looked at', async () => {
  const { cluster, replace } = await strandedPlane()
  const { api } = cluster
  const former = api.objects.get(CLAIM(1))
  expect.assert(former !== undefined)
  api.hooks.onRequest = ({ path, verb }) => {
    if (verb === 'delete' && path === CLAIM(1)) {
      api.remove(path)
      api.put(path, former)
    }
  }

  const error = await rejectionOf(replace())

  expect(error.code).toBe('CONFLICT')
  expect(api.objects.has(CLAIM(1))).toBe(true)
  expect(api.objects.get(CLAIM(1))?.metadata.uid).not.toBe(former.metadata.uid)
})

/** A plane of three members, of which the second one has its volume on a node that is gone. */
async function strandedPlane() {
  const cluster = new FakeCluster()
  const userSpec = { etcd: { replicas: 3 as const } }
  const { record } = await cluster.store('dev', { userSpec })
  strandVolume(cluster.api, 'vplane-dev-etcd-1')
  const steps: string[] = []
  const step = (said: string) => Promise.resolve(void steps.push(said))
  const place = { name: 'dev', namespace: 'team-a' }
  return {
    cluster,
    steps,
    replace: () =>
      replaceStranded(cluster, { record, step }, { place, operation: cluster.operation() }),
  }
}
