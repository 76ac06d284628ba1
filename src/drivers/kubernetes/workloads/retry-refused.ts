import { numberAt } from '../../../shared/json-fields.ts'
import { collectionPath } from '../../../shared/kube/collections.ts'
import type { HostApi } from '../host/host-api.ts'
import { type PlacedName, planeSelector } from '../context/object-names.ts'
import { isObserved, wantedReplicas } from '../observed/workloads.ts'
import type { KubeObject } from '../../../shared/kube/kube-object.ts'

/** On a workload: its version when vplane had the host try again. */
const RETRIED = 'vplane.dev/retried'

/**
 * Has the host try now to make the pods that a plane's workloads lack. After a refusal, such as by a quota that has room
 * meanwhile, it waits by itself, longer each time and up to 1000 s (the default of client-go's work queues). Any change of
 * a workload ends that wait; of a Deployment it is the annotation's way to the ReplicaSet that does.
 */
export async function retryRefused(
  api: Pick<HostApi, 'list' | 'patch'>,
  { name, namespace }: PlacedName,
  signal: AbortSignal,
): Promise<void> {
  const labelSelector = planeSelector(name)
  await Promise.all(
    (['statefulsets', 'deployments'] as const).map(async (resource) => {
      const path = collectionPath(resource, namespace)
      const { items } = await api.list(path, { labelSelector, signal })
      for (const { metadata } of items.filter(lacksPods)) {
        const body = { metadata: { annotations: { [RETRIED]: metadata.resourceVersion } } }
        await api.patch(`${path}/${metadata.name}`, body, { type: 'merge', signal })
      }
    }),
  )
}

function lacksPods(workload: KubeObject): boolean {
  const replicas = numberAt(workload, 'status', 'replicas') ?? 0
  return isObserved(workload) && replicas < wantedReplicas(workload)
}
