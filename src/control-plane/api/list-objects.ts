import { arrayAt } from '../../shared/json-fields.ts'
import { collectionPath, type Resource } from '../../shared/kube/collections.ts'
import { isKubeObject, type KubeObject } from '../../shared/kube/kube-object.ts'
import type { PlaneApi } from './plane-api.ts'

/** Lists the objects of a resource in all namespaces, without their kinds; none where the plane does not serve it. */
export async function listObjects(
  api: Pick<PlaneApi, 'get'>,
  resource: Resource,
  signal: AbortSignal,
): Promise<KubeObject[]> {
  return arrayAt(await api.get(collectionPath(resource), { signal }), 'items').filter(isKubeObject)
}
