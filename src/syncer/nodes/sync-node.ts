import { isDeepStrictEqual } from 'node:util'
import type { KubeClient } from '../../kube/client/client.ts'
import type { KubeObject } from '../../shared/kube/kube-object.ts'
import { type ObjectCache, unlessChanged } from '../engine/object-cache.ts'
import { type ObjectKey, parseObjectKey } from '../scope/object-key.ts'
import { picked } from '../translate/reading.ts'
import { isVirtual } from '../translate/markers.ts'
import { markedNode } from './node-marks.ts'
import { lostNodeConditions, type NodeSettings, virtualNode } from './virtual-node.ts'
import { type Json, recordAt } from '../../shared/json-fields.ts'
import { collectionPath } from '../../shared/kube/collections.ts'

export interface NodeSyncOptions {
  plane: Pick<KubeClient, 'replace'>
  /** Those of the host where they may be read. */
  nodes: { virtual: Pick<ObjectCache, 'get'>; host?: Pick<ObjectCache, 'get'> }
  nodeSettings: NodeSettings
  now: () => Date
}

export const NODES = collectionPath('nodes')

/**
 * Makes a node of the plane say what it is to say: its host node may have changed, or an earlier syncer, a user or a
 * controller made something else of it. A node that is not one of the syncer's is left alone.
 */
export async function syncNode(
  options: NodeSyncOptions,
  key: ObjectKey,
  signal: AbortSignal,
): Promise<void> {
  const { nodeSettings, nodes, now, plane } = options
  const known = nodes.virtual.get(key)
  if (known === undefined || !isVirtual(known)) {
    return
  }
  const { name } = parseObjectKey(key)
  const path = `${NODES}/${name}`
  if (isHostNodeMissing(nodes, key)) {
    return showStatus(
      options,
      { known, status: { conditions: lostNodeConditions(known, now()) } },
      signal,
    )
  }
  const host = nodes.host?.get(key)
  const wanted = virtualNode(name, nodeSettings, { known, host, now: now() })
  const marked = markedNode(known, wanted)
  if (marked === undefined) {
    return showStatus(options, { known, status: wanted.status }, signal)
  }
  await unlessChanged(plane.replace(path, marked, { signal }))
}

/** Tells whether a node of the host is known not to be there. */
export function isHostNodeMissing({ host }: NodeSyncOptions['nodes'], key: ObjectKey): boolean {
  return host !== undefined && host.get(key) === undefined
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
