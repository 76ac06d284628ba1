import type { Damage } from '../repair/data-damage.ts'
import type { Alarm } from '../status/alarms.ts'

/** What is known about a fact. What could not be read is `unknown`, which never counts as `no`. */
export type Known = 'yes' | 'no' | 'unknown'

/** A member in etcd's own linearizable list. */
export interface ListedMember {
  id: string
  /** @default its peer URL belongs to no pod of the plane */
  ordinal?: number | undefined
  isLearner: boolean
  /** Its process started at least once, so it has its own data. */
  hasStarted: boolean
}

/** The pod and the volume for the member of one ordinal. */
export interface MemberPlace {
  ordinal: number
  /** Whether the member here answers, and knows a leader. */
  works: Known
  /** Why its data cannot be used, as the log of its process or the host says. @default nothing says so */
  damage?: Damage | undefined
  pod?: MemberPod | undefined
  /** @default the plane is ephemeral, or the host has not made it yet */
  claim?: { uid: string; isEnding: boolean } | undefined
}

export interface MemberPod {
  uid: string
  isReady: boolean
  /** Another template made it. */
  isStale: boolean
  /** It has had more than enough time to start. */
  isOverdue: boolean
  /** It was deleted. `stuck`: a while ago, and its node does not respond. */
  isEnding: boolean | 'stuck'
}

/** A member that may start without data, as the configuration files of the members say. */
export interface Joining {
  ordinal: number
  /** The ordinals of the members that it starts with, itself included: etcd's list at that moment. */
  peers: readonly number[]
  /**
   * The uid of the claim, or of the pod of an ephemeral plane, with the data of its predecessor; '' if there was none.
   * @default nobody wrote it down
   */
  formerUid?: string | undefined
}

/** A plane's etcd as its host and its members show it at one moment. */
export interface ObservedEtcd {
  /** @default no majority answers */
  members?: readonly ListedMember[] | undefined
  /** The id of the leader. */
  leader?: string | undefined
  /** Every ordinal that has a member, a pod or a claim. */
  places: readonly MemberPlace[]
  replicas: number
  /** Which members may start without data: one, or `all`, which form a new etcd. @default none */
  joining?: Joining | 'all' | undefined
  /** Alarms about members that are not known to be damaged. */
  alarms: ReadonlyArray<'CORRUPT' | 'NOSPACE'>
  /** Alarms that have no cause any more. */
  staleAlarms: readonly Alarm[]
  /** The versions that steps act on. */
  resourceVersions: { statefulSet: string; files: string }
}

/** The etcd that a plane is to have. */
export interface WantedEtcd {
  count: number
  /** Whether the data of a member is in its pod. */
  isEphemeral: boolean
}

/** A change that etcd itself does: of its list of members, its leader or its alarms. */
export type MembershipStep =
  | { kind: 'add-member'; ordinal: number }
  | { kind: 'promote-member' | 'remove-member'; ordinal: number; id: string }
  | { kind: 'move-leader'; from: number; id: string }
  | { kind: 'disarm'; alarms: readonly Alarm[] }

/** The next single change. It names the id, uid or version that it was decided on, so that it fails if that is gone. */
export type MemberStep =
  | MembershipStep
  | { kind: 'open-files'; joining: Joining; resourceVersion: string }
  | { kind: 'close-files'; resourceVersion: string }
  | { kind: 'scale'; replicas: number; resourceVersion: string }
  | { kind: 'delete-claim'; ordinal: number; uid: string }
  | { kind: 'delete-pod'; ordinal: number; uid: string; isForced: boolean }

/** What is to be done about an etcd. */
export type MemberPlan =
  | MemberStep
  | { kind: 'done' }
  | {
      kind: 'wait'
      for: 'majority' | 'members' | 'copy' | 'pod-end' | 'claim-end'
      ordinals: number[]
    }
  | {
      kind: 'stuck'
      why: 'foreign-member' | 'alarm' | 'majority-lost' | 'data-in-pod'
      ordinals: number[]
    }

export function isStep(plan: MemberPlan): plan is MemberStep {
  return plan.kind !== 'done' && plan.kind !== 'wait' && plan.kind !== 'stuck'
}

export function isMembershipStep(step: MemberStep): step is MembershipStep {
  const kinds = ['add-member', 'promote-member', 'remove-member', 'move-leader', 'disarm']
  return kinds.includes(step.kind)
}
