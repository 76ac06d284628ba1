import { damageOfEnded, type MemberContainer } from '../../etcd/repair/data-damage.ts'
import type { KubeClient } from '../../kube/client/client.ts'
import { recordsAt } from '../../shared/json-fields.ts'
import { readLastLines } from '../../kube/client/read-last-lines.ts'
import type { KubeObject } from '../../shared/kube/kube-object.ts'
import { objectPath } from '../../shared/kube/collections.ts'

/** A pod that should have ended this long ago, in milliseconds, is on a node that does not respond. */
const STUCK_MS = 60_000

/** A pod whose member of etcd cannot continue. */
export interface BrokenPod {
  ordinal: number
  uid: string
  createdAt: Date
  /** What happened, to follow its name: `lost its data`. */
  reason: string
  /** Its node does not respond: the pod must be deleted without a grace period. */
  isStuck: boolean
}

/** The pods of etcd's members on the host. */
export interface MemberPods {
  /** The pod of a member that must be replaced; undefined when it may recover by itself. */
  broken(ordinal: number, signal: AbortSignal): Promise<BrokenPod | undefined>
  /** Deletes exactly this pod. The host creates another. */
  remove(pod: BrokenPod, signal: AbortSignal): Promise<void>
}

export interface MemberPodsOptions {
  namespace: string
  nameOf: (ordinal: number) => string
  now: () => Date
}

export function memberPods(
  host: Pick<KubeClient, 'get' | 'delete' | 'stream'>,
  { nameOf, namespace, now }: MemberPodsOptions,
): MemberPods {
  const pathOf = (ordinal: number) => objectPath('pods', { name: nameOf(ordinal), namespace })
  return {
    async broken(ordinal, signal) {
      const read = () => host.get(pathOf(ordinal), { signal })
      const pod = await read()
      if (pod === undefined) {
        return undefined
      }
      const { creationTimestamp, deletionTimestamp, uid = '' } = pod.metadata
      const observed = { ordinal, uid, createdAt: new Date(String(creationTimestamp)) }
      if (typeof deletionTimestamp === 'string') {
        const isStuck = now().getTime() - Date.parse(deletionTimestamp) > STUCK_MS
        const reason = 'is on a node that does not respond'
        return isStuck ? { ...observed, reason, isStuck } : undefined
      }
      const log = { pod: nameOf(ordinal), namespace, container: 'etcd' }
      const damage = await damageOfEnded(etcdContainerOf(pod), {
        readLog: (run) => readLastLines(host, { ...log, isPrevious: run === 'previous' }, signal),
        readAgain: async () => {
          const latest = await read()
          return latest?.metadata.uid === uid ? etcdContainerOf(latest) : undefined
        },
      })
      return damage && { ...observed, reason: REASONS[damage], isStuck: false }
    },
    async remove({ isStuck, ordinal, uid }, signal) {
      const options = { uid, signal, ...(isStuck ? { graceSeconds: 0 } : {}) }
      await host.delete(pathOf(ordinal), options)
    },
  }
}

const REASONS = {
  lost: 'lost its data with its pod',
  corrupt: 'cannot read its data',
  removed: 'is no longer a member of etcd',
} as const

function etcdContainerOf(pod: KubeObject): MemberContainer {
  return recordsAt(pod, 'status', 'containerStatuses').find(({ name }) => name === 'etcd') ?? {}
}
