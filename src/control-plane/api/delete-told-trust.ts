import type { PlaneApi } from './plane-api.ts'

/** What kube-apiserver tells other API servers of whom it trusts: it only ever adds to it, until CAs end. */
const TOLD = '/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication'

/** Has kube-apiserver tell anew whom it trusts, and none of those whom it trusted once: it makes this again at once. */
export async function deleteToldTrust(
  api: Pick<PlaneApi, 'delete'>,
  signal: AbortSignal,
): Promise<void> {
  await api.delete(TOLD, { signal })
}
