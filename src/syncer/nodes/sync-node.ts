import { isDeepStrictEqual } from 'node:util'
import type { KubeClient } from '../../kube/client/client.ts'
import type { KubeObject } from '../../shared/kube/kube-object.ts'
import { type ObjectCache, unlessChanged } from '../../kube/cache/object-cache.ts'
import { type ObjectKey, parseObjectKey } from '../../kube/cache/object-key.ts'
import { picked } from '../translate/reading.ts'
import { isVirtual } from '../translate/markers.ts'
import { markedNode } from './node-marks.ts'
import { lostNodeConditions, type NodeSettings, virtualNode } from './virtual-node.ts'
import { type Json, recordAt, textAt } from '../../shared/json-fields.ts'
import { nodeNameOf } from '../translate/pod-fields.ts'
import { collectionPath } from '../../shared/kube/collections.ts'

export interface NodeSyncOptions {
  plane: Pick<KubeClient, 'replace'>
  nodes: { virtual: Pick<ObjectCache, 'get'>; host?: Pick<ObjectCache, 'get'> }
  pods: { host: Pick<ObjectCache, 'values'> }
  nodeSettings: NodeSettings
  now: () => Date
}

export const NODES = collectionPath('nodes')

/** Restores the wanted state of a node of the syncer after a change of it or of its host node; other nodes stay unchanged. */
export async function syncNode(
  options: NodeSyncOptions,
  key: ObjectKey,
  signal: AbortSignal,
): Promise<void> {
  const { nodeSettings, nodes, now, plane, pods } = options
  const known = nodes.virtual.get(key)
  if (known === undefined || !isVirtual(known)) {
    return
  }
  const { name } = parseObjectKey(key)
  if (isHostNodeMissing(nodes, key)) {
    const status = { conditions: lostNodeConditions(known, now()) }
    return showStatus(options, { known, status }, signal)
  }
  const host = nodes.host?.get(key)
  const address = host === undefined ? addressOf(name, pods.host) : undefined
  const wanted = virtualNode(name, nodeSettings, { known, host, address, now: now() })
  const marked = markedNode(known, wanted)
  if (marked === undefined) {
    return showStatus(options, { known, status: wanted.status }, signal)
  }
  await unlessChanged(plane.replace(`${NODES}/${name}`, marked, { signal }))
}

/** Whether the host is known to have no such node. */
export function isHostNodeMissing({ host }: NodeSyncOptions['nodes'], key: ObjectKey): boolean {
  return host !== undefined && host.get(key) === undefined
}

/** The address of a host node that the syncer may not read, as its pods show it. */
function addressOf(node: string, pods: NodeSyncOptions['pods']['host']): string | undefined {
  for (const pod of pods.values()) {
    const address = nodeNameOf(pod) === node ? textAt(pod, 'status', 'hostIP') : undefined
    if (address !== undefined) {
      return address
    }
  }
  return undefined
}

async function showStatus(
  { plane }: NodeSyncOptions,
  { known, status }: { known: KubeObject; status: Json },
  signal: AbortSignal,
): Promise<void> {
  const shown = recordAt(known, 'status') ?? {}
  if (!isDeepStrictEqual(picked(shown, Object.keys(status)), status)) {
    const path = `${NODES}/${known.metadata.name}/status`
    const node = { ...known, status: { ...shown, ...status } }
    await unlessChanged(plane.replace(path, node, { signal }))
  }
}
