import { settingsSelector } from '../../../manifests/keeper-settings.ts'
import { isVplaneError } from '../../../shared/errors.ts'
import { collectionPath } from '../../../shared/kube/collections.ts'
import { keeperPath } from '../context/object-names.ts'
import type { HostApi } from '../host/host-api.ts'
import { wantedReplicas } from '../observed/workloads.ts'

/**
 * Scales the keeper of a namespace to 0, unless a plane needs it. The Deployment is read before the settings, and only
 * changed as it was: `raiseKeeper` changes it after the settings of a plane.
 */
export async function restKeeper(
  api: Pick<HostApi, 'get' | 'list' | 'patch'>,
  namespace: string,
  signal: AbortSignal,
): Promise<void> {
  await again(async () => {
    const path = keeperPath(namespace)
    const deployment = await api.get(path, { signal })
    if (deployment === undefined || wantedReplicas(deployment) === 0) {
      return
    }
    const labelSelector = settingsSelector({ isKept: true })
    const kept = await api.list(collectionPath('configmaps', namespace), { labelSelector, signal })
    if (kept.items.length === 0) {
      const { resourceVersion } = deployment.metadata
      const body = { metadata: { resourceVersion }, spec: { replicas: 0 } }
      await api.patch(path, body, { type: 'merge', signal })
    }
  })
}

/** Does work that ends with a conflict or a missing object when others were faster, until it does not. */
export async function again(work: () => Promise<void>): Promise<void> {
  for (;;) {
    try {
      return await work()
    } catch (error) {
      const isOutrun = isVplaneError(error, 'CONFLICT', 'NOT_FOUND')
      if (!isOutrun) {
        throw error
      }
    }
  }
}
