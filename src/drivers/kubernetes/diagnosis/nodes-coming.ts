import { recordsAt } from '../../../shared/json-fields.ts'
import type { HostApi } from '../host/host-api.ts'
import { unlessRefused } from '../host/unless-refused.ts'
import { collectionPath } from '../../../shared/kube/collections.ts'

/** Taints that the host takes away by itself once a node is up. */
const TRANSIENT_TAINTS = new Set([
  'node.kubernetes.io/not-ready',
  'node.kubernetes.io/unreachable',
  'node.kubernetes.io/network-unavailable',
  'node.cloudprovider.kubernetes.io/uninitialized',
])

/** Whether nodes are coming up, or may come back; false also when the user may not see nodes. */
export async function areNodesComing(
  api: Pick<HostApi, 'list'>,
  signal: AbortSignal,
): Promise<boolean> {
  const nodes = await unlessRefused(api.list(collectionPath('nodes'), { signal }))
  return (nodes?.items ?? []).some((node) =>
    recordsAt(node, 'spec', 'taints').some(({ key }) => TRANSIENT_TAINTS.has(String(key))),
  )
}
