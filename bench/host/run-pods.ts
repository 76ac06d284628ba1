import { PAUSE_IMAGE } from '../../test/lab/images/lab-images.ts'
import { ON_SIMULATED_NODES } from '../../test/lab/simulated/simulated-node.ts'
import type { SyncedPlane } from './host-synced-plane.ts'

/** How long many pods may take to be ready, or to be deleted. */
export const TIMEOUT = '--timeout=20m'

/** How long pods take until all are ready, in milliseconds; they are removed then. */
export async function runPods(kubectl: SyncedPlane['kubectl'], count: number): Promise<number> {
  const ms = await createPods(kubectl, count)
  await kubectl('delete', 'deployment', 'many', '--cascade=foreground', '--wait', TIMEOUT)
  return ms
}

/** Creates pods that stay; returns how long they take until all are ready, in milliseconds. */
export async function createPods(kubectl: SyncedPlane['kubectl'], count: number): Promise<number> {
  const overrides = JSON.stringify({
    spec: { template: { spec: { ...ON_SIMULATED_NODES, terminationGracePeriodSeconds: 1 } } },
  })
  // Changed before it has any pods.
  await kubectl('create', 'deployment', 'many', `--image=${PAUSE_IMAGE}`, '--replicas=0')
  await kubectl('patch', 'deployment', 'many', '--patch', overrides)
  const startedAt = performance.now()
  await kubectl('scale', 'deployment', 'many', `--replicas=${count}`)
  await kubectl('rollout', 'status', 'deployment/many', TIMEOUT)
  return performance.now() - startedAt
}
