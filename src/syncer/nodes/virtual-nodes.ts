import { setTimeout as delay } from 'node:timers/promises'
import type { KubeClient } from '../../kube/client/client.ts'
import { unlessStatus } from '../../kube/kube-error.ts'
import type { KubeObject } from '../../shared/kube/kube-object.ts'
import type { ObjectCache } from '../engine/object-cache.ts'
import { keyOf, toObjectKey } from '../scope/object-key.ts'
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
  /** Whether there is one for each node of the host, which may be read then. @default for those that pods are on */
  showsAll?: boolean
  /** How often a node says that it is there, in milliseconds. @default 10_000 */
  heartbeatMs?: number
  /** How long a node stays that no pod needs, in milliseconds. @default 60_000 */
  idleMs?: number
}

const LEASES = collectionPath('leases', 'kube-node-lease')
/** As the kubelet says it. */
const LEASE_SECONDS = 40

/**
 * The nodes of a plane: one for each node of the host that pods of the plane are on, or for all. They are made when the
 * first pod comes, say every few seconds that they are there, and go some time after the last pod that needed them, unless
 * somebody has cordoned a node that the host still has. What is left on them then, the plane's garbage collector removes.
 */
export class VirtualNodes {
  readonly #options: Required<VirtualNodesOptions>
  readonly #making = new Map<string, Promise<void>>()
  /** Those that are being removed: they may be in the cache for a while after. */
  readonly #leaving = new Map<string, Promise<unknown>>()
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
        this.#leaving.delete(metadata.name ?? '')
      }
    })
  }

  /** Makes sure that there is a node of this name, for a pod that is to be bound to it. */
  async ensure(name: string): Promise<void> {
    this.#idleSince.delete(name)
    const isThere = this.#options.nodes.virtual.get(toObjectKey({ name })) !== undefined
    if (isThere && !this.#leaving.has(name)) {
      return
    }
    const making = this.#making.get(name) ?? this.#make(name)
    this.#making.set(name, making)
    try {
      await making
    } finally {
      this.#making.delete(name)
    }
  }

  /** Keeps the nodes until the signal fires. */
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
      await this.#forEach(ours, (node, name) => this.#keep(node, users.get(name) ?? []))
      const rest = delay(heartbeatMs, undefined, { signal }).catch(() => {})
      await Promise.race([rest, this.#wake.promise])
    }
  }

  /** Does something for all of these at once, and reports what fails. */
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

  async #make(name: string): Promise<void> {
    const { nodeSettings, nodes, now, plane } = this.#options
    await this.#leaving.get(name)?.catch(() => {})
    const host = nodes.host?.get(toObjectKey({ name }))
    const node = virtualNode(name, nodeSettings, { host, now: now() })
    await unlessStatus([409], plane.create(NODES, node))
    this.#leaving.delete(name)
  }

  async #keep(node: KubeObject, pods: readonly KubeObject[]): Promise<void> {
    const { idleMs, nodes, now, plane, showsAll } = this.#options
    const { name = '', uid } = node.metadata
    // Logs and the cordon go with the host node.
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
    } else if (!this.#leaving.has(name)) {
      this.#idleSince.delete(name)
      const leaving = plane.delete(`${NODES}/${name}`, { uid })
      this.#leaving.set(name, leaving)
      await leaving.catch((error: unknown) => {
        this.#leaving.delete(name)
        throw error
      })
    }
  }
}

/** Says that a node is there, to the plane's node lifecycle controller. The Lease goes with the node. */
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
      leaseDurationSeconds: LEASE_SECONDS,
      renewTime: now.toISOString().replace(/Z$/, '000Z'),
    },
  })
}
