import { createKubeClient, type KubeClient } from '../../src/kube/client/client.ts'
import { unlessStatus } from '../../src/kube/kube-error.ts'
import { collectionPath } from '../../src/shared/kube/collections.ts'
import { ON_SIMULATED_NODES } from '../../test/lab/simulated/simulated-node.ts'
import { PAUSE_IMAGE } from '../../test/lab/images/lab-images.ts'
import type { SyncedPlane } from './host-synced-plane.ts'

/** How many are created at the same time. */
const AT_ONCE = 8

/** Creates the same number of bare pods on simulated nodes in each of many new namespaces of a plane: `many-0` and so on. */
export async function createManyPods(
  { access }: SyncedPlane,
  { each, namespaces }: { namespaces: number; each: number },
): Promise<void> {
  await using plane = createKubeClient(access)
  const left = Array.from({ length: namespaces }, (_, index) => `many-${index}`)
  const work = async () => {
    for (let name = left.shift(); name !== undefined; name = left.shift()) {
      await createIn(plane, name, each)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
}

async function createIn(plane: KubeClient, namespace: string, count: number): Promise<void> {
  const common = { apiVersion: 'v1', metadata: { name: namespace } }
  await plane.create(collectionPath('namespaces'), { ...common, kind: 'Namespace' })
  // The controller that creates it may be behind; it leaves one that exists as it is.
  const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default' } }
  await unlessStatus([409], plane.create(collectionPath('serviceaccounts', namespace), account))
  for (let index = 0; index < count; index += 1) {
    await plane.create(collectionPath('pods', namespace), {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: `pod-${index}`, labels: { app: 'many' } },
      spec: {
        ...ON_SIMULATED_NODES,
        terminationGracePeriodSeconds: 1,
        containers: [{ name: 'main', image: PAUSE_IMAGE }],
      },
    })
  }
}
