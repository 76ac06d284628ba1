import type { PlaneSpec } from '../../../control-plane/spec/spec.ts'
import { recordsAt, textAt } from '../../../shared/json-fields.ts'
import type { HostApi } from '../host/host-api.ts'
import { unlessRefused } from '../host/unless-refused.ts'
import type { KubeObject } from '../../../shared/kube/kube-object.ts'
import { collectionPath } from '../../../shared/kube/collections.ts'

/** A certificate that names more nodes than these is slow to send; a host that large has a name for its nodes. */
const MOST_NODES = 100

/**
 * The IP addresses of the nodes that a plane is reached by, for its certificate; none unless it is exposed by a port of
 * the nodes, and none when the user may not look at nodes: then they need a name, `expose.host`.
 */
export async function nodeAddresses(
  api: Pick<HostApi, 'list'>,
  { host }: Pick<PlaneSpec, 'host'>,
  signal: AbortSignal,
): Promise<string[]> {
  if (host?.expose.type !== 'node-port') {
    return []
  }
  const nodes = await unlessRefused(api.list(collectionPath('nodes'), { signal }))
  return (nodes?.items ?? []).slice(0, MOST_NODES).flatMap(addressesIn)
}

function addressesIn(node: KubeObject): string[] {
  return recordsAt(node, 'status', 'addresses')
    .filter(({ type }) => type === 'InternalIP' || type === 'ExternalIP')
    .flatMap((one) => textAt(one, 'address') ?? [])
}
