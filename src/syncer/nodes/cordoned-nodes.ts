import type { SyncContext } from '../context/sync-context.ts'
import { isVirtual } from '../translate/markers.ts'
import { isCordoned } from './virtual-node.ts'

type Nodes = SyncContext['nodes']

/** Names of the host's nodes that are to get no new pods of the plane, in their order. */
export function cordonedNodes({ virtual }: Nodes): string[] {
  return [...virtual.values()]
    .filter((node) => isVirtual(node) && isCordoned(node))
    .map(({ metadata: { name = '' } }) => name)
    .toSorted()
}

/** Calls the listener whenever other nodes are cordoned than before. */
export function onCordon(nodes: Nodes, listener: () => void): void {
  let before = cordonedNodes(nodes).join()
  nodes.virtual.onChange(() => {
    const now = cordonedNodes(nodes).join()
    if (now !== before) {
      before = now
      listener()
    }
  })
}
