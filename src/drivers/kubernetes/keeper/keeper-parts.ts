import { unlessStatus } from '../../../kube/kube-error.ts'
import { collectionPath } from '../../../shared/kube/collections.ts'
import type { KubeObject } from '../../../shared/kube/kube-object.ts'
import { SHARED_SELECTOR } from '../context/object-names.ts'
import type { HostApi } from '../host/host-api.ts'

/** Lists the objects of the keeper and the gateway of a namespace, their Deployments first. */
export async function keeperParts(
  api: Pick<HostApi, 'list'>,
  namespace: string,
  signal: AbortSignal,
): Promise<Array<{ path: string; object: KubeObject }>> {
  const collections = [
    collectionPath('deployments', namespace),
    collectionPath('services', namespace),
    `/apis/monitoring.coreos.com/v1/namespaces/${namespace}/servicemonitors`,
    collectionPath('configmaps', namespace),
    collectionPath('rolebindings', namespace),
    collectionPath('roles', namespace),
    collectionPath('serviceaccounts', namespace),
  ]
  const lists = await Promise.all(
    collections.map(async (path) => {
      const options = { labelSelector: SHARED_SELECTOR, signal }
      const list = await unlessStatus([403, 404], api.list(path, options))
      return (list?.items ?? []).map((object) => ({
        path: `${path}/${object.metadata.name}`,
        object,
      }))
    }),
  )
  return lists.flat()
}
