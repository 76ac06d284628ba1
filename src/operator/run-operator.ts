import { ObjectCache } from '../kube/cache/object-cache.ts'
import { keyOf, type ObjectKey } from '../kube/cache/object-key.ts'
import { WorkQueue } from '../kube/cache/work-queue.ts'
import type { KubeClient } from '../kube/client/client.ts'
import { collectionPath } from '../shared/kube/collections.ts'
import { reconcileControlPlane, type ReconcileDependencies } from './reconcile-control-plane.ts'

export interface OperatorOptions extends Omit<ReconcileDependencies, 'host'> {
  host: KubeClient
  /** @default ControlPlanes of all namespaces */
  namespace?: string | undefined
  log: (line: string) => void
  /** How often each plane is looked at without a change of its ControlPlane, in milliseconds. @default 10_000 */
  checkMs?: number
}

/** Makes planes as ControlPlanes say, several at a time, until the signal fires. */
export async function runOperator(options: OperatorOptions, signal: AbortSignal): Promise<void> {
  const { checkMs = 10_000, host, log, namespace } = options
  const resources = new ObjectCache(host, collectionPath('controlplanes', namespace))
  const queue = new WorkQueue<ObjectKey>({
    work: async (key, stop) => {
      const resource = resources.get(key)
      if (resource !== undefined) {
        await reconcileControlPlane(options, resource, stop)
        queue.addIn(key, checkMs)
      }
    },
    onError: (key, error) => log(`${key}: ${String(error)}`),
    workers: 4,
  })
  resources.onChange((resource, isGone) => {
    if (!isGone) {
      queue.add(keyOf(resource))
    }
  })
  await Promise.all([
    resources.run(signal).catch((error: unknown) => {
      if (!signal.aborted) {
        throw error
      }
    }),
    queue.run(signal),
  ])
}
