import { damageOfEnded, type MemberContainer } from '../../etcd/repair/ended-member.ts'
import type { KubeClient } from '../../kube/client/client.ts'
import { recordsAt } from '../../shared/json-fields.ts'
import { readLastLines } from '../../kube/client/read-last-lines.ts'
import type { KubeObject } from '../../shared/kube/kube-object.ts'
import { objectPath } from '../../shared/kube/collections.ts'

/** A pod that is to have been gone for this long is on a node that does not answer, in milliseconds. */
const STUCK_MS = 60_000

/** A pod whose member of etcd cannot go on. */
export interface BrokenPod {
  ordinal: number
  uid: string
  createdAt: Date
  /** As it reads after its name: `lost its data`. */
  reason: string
  /** Nobody answers for it, and the host waits for that: it is to be forgotten. */
  isStuck: boolean
}

/** The pods of etcd's members on the host. */
export interface MemberPods {
  /** The pod of a member that has to begin anew; undefined when it may go on by itself. */
  broken(ordinal: number, signal: AbortSignal): Promise<BrokenPod | undefined>
  /** Takes away a pod as it was seen; the host makes another. */
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
      const look = () => host.get(pathOf(ordinal), { signal })
      const pod = await look()
      if (pod === undefined) {
        return undefined
      }
      const { creationTimestamp, deletionTimestamp, uid = '' } = pod.metadata
      const seen = { ordinal, uid, createdAt: new Date(String(creationTimestamp)) }
      if (typeof deletionTimestamp === 'string') {
        const isStuck = now().getTime() - Date.parse(deletionTimestamp) > STUCK_MS
        return isStuck ? { ...seen, reason: 'is on a silent node', isStuck } : undefined
      }
      const log = { pod: nameOf(ordinal), namespace, container: 'etcd' }
      const damage = await damageOfEnded(etcdContainerOf(pod), {
        readLog: (run) => readLastLines(host, { ...log, isPrevious: run === 'previous' }, signal),
        readAgain: async () => {
          const now = await look()
          return now?.metadata.uid === uid ? etcdContainerOf(now) : undefined
        },
      })
      return damage && { ...seen, reason: WORDS[damage], isStuck: false }
    },
    async remove({ isStuck, ordinal, uid }, signal) {
      const options = { uid, signal, ...(isStuck ? { graceSeconds: 0 } : {}) }
      await host.delete(pathOf(ordinal), options)
    },
  }
}

const WORDS = {
  lost: 'lost its data with its pod',
  corrupt: 'cannot read its data',
  removed: 'is no member of etcd any more',
} as const

function etcdContainerOf(pod: KubeObject): MemberContainer {
  return recordsAt(pod, 'status', 'containerStatuses').find(({ name }) => name === 'etcd') ?? {}
}
