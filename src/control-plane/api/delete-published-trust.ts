import type { PlaneApi } from './plane-api.ts'
import { objectPath } from '../../shared/kube/collections.ts'

/** The CAs that other API servers accept; kube-apiserver only adds to them, and removes CAs that have expired. */
const PUBLISHED_TRUST = objectPath('configmaps', {
  name: 'extension-apiserver-authentication',
  namespace: 'kube-system',
})

/** Makes kube-apiserver publish its current CAs again, without earlier ones: it recreates the ConfigMap at once. */
export async function deletePublishedTrust(
  api: Pick<PlaneApi, 'delete'>,
  signal: AbortSignal,
): Promise<void> {
  await api.delete(PUBLISHED_TRUST, { signal })
}
