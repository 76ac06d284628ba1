import type { PlaneSpec } from '../../../control-plane/spec/spec.ts'
import { recordsAt, textAt } from '../../../shared/json-fields.ts'
import type { HostApi } from '../host/host-api.ts'
import { unlessRefused } from '../host/unless-refused.ts'
import type { KubeObject } from '../../../shared/kube/kube-object.ts'
import { collectionPath } from '../../../shared/kube/collections.ts'

/** A certificate with more nodes is slow to send; such large hosts have a name for their nodes. */
const MOST_NODES = 100

/**
 * Returns the IP addresses of nodes for the certificate of a plane that is exposed by a node port; none when the user may
 * not read nodes: then the plane needs a name, `expose.host`.
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
