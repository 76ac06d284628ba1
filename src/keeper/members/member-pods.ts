import type { MemberPlace, MemberStep } from '../../etcd/planner/observed-etcd.ts'
import { damageOfEnded, type MemberContainer } from '../../etcd/repair/data-damage.ts'
import type { KubeClient } from '../../kube/client/client.ts'
import { recordsAt } from '../../shared/json-fields.ts'
import { readLastLines } from '../../kube/client/read-last-lines.ts'
import type { KubeObject } from '../../shared/kube/kube-object.ts'
import { objectPath } from '../../shared/kube/collections.ts'

/** A pod that should have ended this long ago, in milliseconds, is on a node that does not respond. */
const STUCK_MS = 60_000

/** A new pod has this long to join etcd before it is replaced, in milliseconds. */
const JOIN_TIMEOUT_MS = 30_000

/** What is known about a member. */
export interface MemberReport {
  place: MemberPlace
  /** Why it cannot continue, to follow its name: `lost its data`. @default it may recover by itself */
  reason?: string
  /** It did not start, because another member has different data. @default false */
  isDoubted?: boolean
}

/** The pods of etcd's members on the host. */
export interface MemberPods {
  /** Returns what the host knows about a member that does not answer. */
  inspect(ordinal: number, signal: AbortSignal): Promise<MemberReport>
  /** Deletes exactly this pod. The host creates another. */
  remove(pod: Extract<MemberStep, { kind: 'delete-pod' }>, signal: AbortSignal): Promise<void>
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
    async inspect(ordinal, signal) {
      const read = () => host.get(pathOf(ordinal), { signal })
      const pod = await read()
      if (pod === undefined) {
        return { place: { ordinal, works: 'no' } }
      }
      const { creationTimestamp, deletionTimestamp, uid = '' } = pod.metadata
      const ageOf = (time: unknown) => now().getTime() - Date.parse(String(time))
      const isStuck = ageOf(deletionTimestamp) > STUCK_MS
      const isOverdue = ageOf(creationTimestamp) > JOIN_TIMEOUT_MS
      const isEnding = isStuck ? 'stuck' : deletionTimestamp !== undefined
      const observed = { uid, isReady: false, isStale: false, isOverdue, isEnding } as const
      const place = { ordinal, works: 'unknown', pod: observed } as const
      if (isEnding !== false) {
        const reason = 'is on a node that does not respond'
        return isStuck ? { place: { ...place, damage: 'lost' }, reason } : { place }
      }
      const log = { pod: nameOf(ordinal), namespace, container: 'etcd' }
      const damage = await damageOfEnded(etcdContainerOf(pod), {
        readLog: (run) => readLastLines(host, { ...log, isPrevious: run === 'previous' }, signal),
        readAgain: async () => {
          const latest = await read()
          return latest?.metadata.uid === uid ? etcdContainerOf(latest) : undefined
        },
      })
      if (damage === 'inconsistent') {
        return { place, isDoubted: true }
      }
      return damage === undefined
        ? { place }
        : { place: { ...place, damage }, reason: REASONS[damage] }
    },
    async remove({ isForced, ordinal, uid }, signal) {
      const options = { uid, signal, ...(isForced ? { graceSeconds: 0 } : {}) }
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
