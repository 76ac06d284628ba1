import type { SyncContext } from '../context/sync-context.ts'
import { isVirtual } from '../translate/markers.ts'
import { isCordoned } from './virtual-node.ts'

type Nodes = SyncContext['nodes']

/** The sorted names of nodes that must not get new pods of the plane. */
export function cordonedNodes({ virtual }: Nodes): string[] {
  return [...virtual.values()]
    .filter((node) => isVirtual(node) && isCordoned(node))
    .map(({ metadata: { name = '' } }) => name)
    .toSorted()
}

/** Calls the listener whenever a node is cordoned or uncordoned. */
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
