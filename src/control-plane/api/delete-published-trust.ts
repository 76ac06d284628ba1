import type { PlaneApi } from './plane-api.ts'
import { objectPath } from '../../shared/kube/collections.ts'

/** What kube-apiserver tells other API servers of whom it trusts: it only ever adds to it, until CAs end. */
const TOLD = objectPath('configmaps', {
  name: 'extension-apiserver-authentication',
  namespace: 'kube-system',
})

/** Has kube-apiserver tell anew whom it trusts, and none of those whom it trusted once: it makes this again at once. */
export async function deletePublishedTrust(
  api: Pick<PlaneApi, 'delete'>,
  signal: AbortSignal,
): Promise<void> {
  await api.delete(TOLD, { signal })
}
