import { numberAt } from '../../../shared/json-fields.ts'
import { collectionPath } from '../../../shared/kube/collections.ts'
import type { HostApi } from '../host/host-api.ts'
import { type PlacedName, planeSelector } from '../context/object-names.ts'
import { isObserved, wantedReplicas } from '../observed/workloads.ts'
import type { KubeObject } from '../../../shared/kube/kube-object.ts'

/** Annotation of a workload with its resource version at the last retry. */
const RETRIED = 'vplane.dev/retried'

/**
 * Makes the host retry now to create missing pods. After a refusal, such as by a quota, it waits for up to 1000 s (the
 * default of client-go's work queues). Any change of a workload ends that wait; the annotation of a Deployment reaches
 * the ReplicaSet that waits.
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
