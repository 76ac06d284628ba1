import type { KubeObject } from '../../../shared/kube/kube-object.ts'
import { objectPath } from '../../../shared/kube/collections.ts'
import { objectName } from '../../../manifests/object-names.ts'
import type { HostApi } from './host-api.ts'

/** Reads the Service that is the endpoint of a plane; undefined when it does not exist. */
export async function readEndpoint(
  api: Pick<HostApi, 'get'>,
  { name, namespace }: { name: string; namespace: string },
  signal: AbortSignal,
): Promise<KubeObject | undefined> {
  return api.get(objectPath('services', { name: objectName(name, 'api'), namespace }), { signal })
}
