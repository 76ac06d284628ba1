import { isDeepStrictEqual } from 'node:util'
import type { KubeClient } from '../../kube/client/client.ts'
import { fieldAt, recordAt } from '../../shared/json-fields.ts'
import { type SyncedResource } from '../scope/resources.ts'
import type { KubeObject } from '../../shared/kube/kube-object.ts'
import { objectPath } from '../../shared/kube/collections.ts'

/** Shows in the plane at which addresses the host lets a Service or an Ingress be reached from outside. */
export async function showLoadBalancer(
  { plane }: { plane: Pick<KubeClient, 'replace'> },
  {
    known,
    resource,
    virtual,
  }: { resource: SyncedResource; virtual: KubeObject; known: KubeObject },
  signal: AbortSignal,
): Promise<void> {
  const loadBalancer = fieldAt(known, 'status', 'loadBalancer') ?? {}
  const shown = recordAt(virtual, 'status')
  if (!isDeepStrictEqual(loadBalancer, shown?.['loadBalancer'] ?? {})) {
    const path = `${objectPath(resource, virtual.metadata)}/status`
    await plane.replace(path, { ...virtual, status: { ...shown, loadBalancer } }, { signal })
  }
}
