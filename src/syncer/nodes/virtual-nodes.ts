import { setTimeout as delay } from 'node:timers/promises'
import type { KubeClient } from '../../kube/client/client.ts'
import { unlessStatus } from '../../kube/kube-error.ts'
import type { KubeObject } from '../../shared/kube/kube-object.ts'
import type { ObjectCache } from '../../kube/cache/object-cache.ts'
import { keyOf, toObjectKey } from '../../kube/cache/object-key.ts'
import { isEnded, needsNode, nodeNameOf } from '../translate/pod-fields.ts'
import type { SyncContext } from '../context/sync-context.ts'
import { isHostNodeMissing, NODES, type NodeSyncOptions } from './sync-node.ts'
import { isVirtual } from '../translate/markers.ts'
import { isCordoned, virtualNode } from './virtual-node.ts'
import { collectionPath } from '../../shared/kube/collections.ts'

export interface VirtualNodesOptions extends Pick<NodeSyncOptions, 'nodeSettings' | 'now'> {
  plane: Pick<KubeClient, 'apply' | 'create' | 'delete'>
  nodes: SyncContext['nodes']
  pods: ObjectCache
  onError: (what: string, error: unknown) => void
  /** Whether the plane shows all nodes of the host, which requires reading them. @default only nodes with its pods */
  showsAll?: boolean
  /** How often the Leases of nodes are renewed, in milliseconds. @default 10_000 */
  heartbeatMs?: number
  /** How long an unused node stays, in milliseconds. @default 60_000 */
  idleMs?: number
}

const LEASES = collectionPath('leases', 'kube-node-lease')

/**
 * The nodes of a plane: one for each node of the host with pods of the plane, or for all. A node is created for its first
 * pod, gets heartbeats, and is deleted some time after the last pod that needed it, unless a user has cordoned it and the
 * host still has it. The plane's garbage collector deletes the remaining pods.
 */
export class VirtualNodes {
  readonly #options: Required<VirtualNodesOptions>
  readonly #creating = new Map<string, Promise<void>>()
  /** The nodes that are being deleted, until they leave the cache. */
  readonly #deleting = new Map<string, Promise<unknown>>()
  readonly #idleSince = new Map<string, number>()
  #wake = Promise.withResolvers<void>()

  constructor(options: VirtualNodesOptions) {
    this.#options = { showsAll: false, heartbeatMs: 10_000, idleMs: 60_000, ...options }
    const { host, virtual } = options.nodes
    host?.onChange((node) => {
      if (this.#options.showsAll && virtual.get(keyOf(node)) === undefined) {
        this.#wake.resolve()
      }
    })
    virtual.onChange(({ metadata }, isGone) => {
      if (isGone) {
        this.#deleting.delete(metadata.name ?? '')
      }
    })
  }

  /** Creates a node that does not exist, before a pod is bound to it. */
  async ensure(name: string): Promise<void> {
    this.#idleSince.delete(name)
    const exists = this.#options.nodes.virtual.get(toObjectKey({ name })) !== undefined
    if (exists && !this.#deleting.has(name)) {
      return
    }
    const creating = this.#creating.get(name) ?? this.#create(name)
    this.#creating.set(name, creating)
    try {
      await creating
    } finally {
      this.#creating.delete(name)
    }
  }

  /** Creates, renews and deletes nodes until the signal fires. */
  async run(signal: AbortSignal): Promise<void> {
    const { heartbeatMs, nodes, pods, showsAll } = this.#options
    while (!signal.aborted) {
      this.#wake = Promise.withResolvers()
      const missing = [...(showsAll ? (nodes.host?.values() ?? []) : [])].filter(
        (node) => nodes.virtual.get(keyOf(node)) === undefined,
      )
      await this.#forEach(missing, (_, name) => this.ensure(name))
      const users = Map.groupBy([...pods.values()].filter(needsNode), nodeNameOf)
      const ours = [...nodes.virtual.values()].filter(isVirtual)
      await this.#forEach(ours, (node, name) => this.#maintain(node, users.get(name) ?? []))
      const rest = delay(heartbeatMs, undefined, { signal }).catch(() => {})
      await Promise.race([rest, this.#wake.promise])
    }
  }

  async #forEach(
    nodes: readonly KubeObject[],
    work: (node: KubeObject, name: string) => Promise<void>,
  ): Promise<void> {
    const working = nodes.map((node) => {
      const { name = '' } = node.metadata
      const { onError } = this.#options
      return work(node, name).catch((error: unknown) => onError(`node "${name}"`, error))
    })
    await Promise.all(working)
  }

  async #create(name: string): Promise<void> {
    const { nodeSettings, nodes, now, plane } = this.#options
    await this.#deleting.get(name)?.catch(() => {})
    const host = nodes.host?.get(toObjectKey({ name }))
    const node = virtualNode(name, nodeSettings, { host, now: now() })
    await unlessStatus([409], plane.create(NODES, node))
    this.#deleting.delete(name)
  }

  async #maintain(node: KubeObject, pods: readonly KubeObject[]): Promise<void> {
    const { idleMs, nodes, now, plane, showsAll } = this.#options
    const { name = '', uid } = node.metadata
    // Without the host node, logs and the cordon have no meaning.
    const isNeeded = isHostNodeMissing(nodes, keyOf(node))
      ? !pods.every(isEnded)
      : showsAll || pods.length > 0 || isCordoned(node)
    const time = now().getTime()
    const since = this.#idleSince.get(name) ?? time
    if (isNeeded) {
      this.#idleSince.delete(name)
    } else {
      this.#idleSince.set(name, since)
    }
    if (isNeeded || time - since < idleMs) {
      await renewLease(plane, node, now())
    } else if (!this.#deleting.has(name)) {
      this.#idleSince.delete(name)
      const deleting = plane.delete(`${NODES}/${name}`, { uid })
      this.#deleting.set(name, deleting)
      await deleting.catch((error: unknown) => {
        this.#deleting.delete(name)
        throw error
      })
    }
  }
}

/** Renews a node's Lease, for the plane's node lifecycle controller; the Lease is deleted with the node. */
async function renewLease(
  plane: Pick<KubeClient, 'apply'>,
  { metadata: { name = '', uid = '' } }: KubeObject,
  now: Date,
): Promise<void> {
  await plane.apply(`${LEASES}/${name}`, {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: {
      name,
      namespace: 'kube-node-lease',
      ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name, uid }],
    },
    spec: {
      holderIdentity: name,
      // The kubelet's default.
      leaseDurationSeconds: 40,
      renewTime: now.toISOString().replace(/Z$/, '000Z'),
    },
  })
}
