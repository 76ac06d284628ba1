import type { KubeClient } from '../../kube/client/client.ts'

/** What tells a plane from itself after it was emptied or restored: the UID of its namespace `kube-system`, if it has it. */
export async function readPlaneId(
  plane: Pick<KubeClient, 'get'>,
  signal: AbortSignal,
): Promise<string | undefined> {
  const found = await plane.get('/api/v1/namespaces/kube-system', { signal })
  return found?.metadata.uid
}
