import type { Diagnosis, PlaneFault, Survivor } from '../../control-plane/driver/repair.ts'
import type { Damage } from './data-damage.ts'
import { fullness } from './free-space.ts'
import { isWorking, type MemberStatus } from '../status/member-status.ts'

/** The known facts about one etcd member, from its host, from itself, and from the other members. */
export interface MemberFacts {
  /** The name of its pod or its process. */
  instance: string
  /** `starting`: it was started a moment ago. */
  state: 'missing' | 'starting' | 'running' | 'ended'
  /** Undefined if it does not answer. */
  status: MemberStatus | undefined
  /** It was started without a majority and waits for one. @default false */
  isWaiting?: boolean
  /** The damage to its data. @default none is known */
  damage?: Damage | undefined
  /** How its data was lost, if that is known. */
  loss?: Pick<PlaneFault, 'reason' | 'hints'> | undefined
  /** Its role according to the other members. @default no other member answers */
  membership?: 'voter' | 'learner' | 'unknown'
  /** The kinds of its alarms. */
  alarms: readonly string[]
  /** Why it does not run, if its host knows. */
  cause?: Pick<PlaneFault, 'reason' | 'hints' | 'remedy'> | undefined
}

/** The revision of an etcd that has never stored data: a member that returns empty starts with it. */
const EMPTY_REVISION = 1

/**
 * Diagnoses the members of an etcd, and whether they can still have a majority.
 * @param isGivenUp whether a new etcd is created from their data in any case. @default false
 */
export function diagnoseMembers(
  members: readonly MemberFacts[],
  isGivenUp: boolean = false,
): Diagnosis {
  const sound = members.filter((member) => damageOf(member) === undefined)
  const hasMajority = members.some(({ status }) => isWorking(status))
  const isAlone = members.length === 1
  const isTooFew = !isAlone && !hasMajority && sound.length * 2 <= members.length
  const isLost = isTooFew || isGivenUp
  const isSilent = !hasMajority && members.every(({ status }) => status !== undefined)
  const faults = members.flatMap((member): PlaneFault[] => {
    const { instance } = member
    const damage = damageOf(member)
    if (damage !== undefined) {
      const remedy = isAlone ? 'restore' : isLost ? 'choose' : 'replace'
      return [{ component: 'etcd', instance, reason: REASONS[damage], ...member.loss, remedy }]
    }
    const fault = faultOf(member, { hasMajority, isSilent })
    return fault === undefined ? [] : [{ component: 'etcd', instance, ...fault }]
  })
  const survivors = sound
    .flatMap(({ instance, isWaiting = false, status }): Survivor[] =>
      status === undefined || status.revision <= EMPTY_REVISION
        ? []
        : [{ instance, revision: status.revision, ...(isWaiting ? { isWaiting } : {}) }],
    )
    .toSorted((left, right) => right.revision - left.revision)
  return isLost ? { faults, survivors } : { faults }
}

const REASONS: Record<Damage, string> = {
  lost: 'its data is lost',
  corrupt: 'its data is corrupt',
  removed: 'it is no longer a member of etcd',
}

/** The damage in its log no longer applies if it answers, because it has restarted since then. */
function damageOf(member: MemberFacts): Damage | undefined {
  const { alarms, membership, state, status } = member
  const damage = status === undefined ? member.damage : undefined
  if (damage === undefined && alarms.includes('CORRUPT')) {
    return 'corrupt'
  }
  return damage ?? (membership === 'unknown' && state !== 'missing' ? 'removed' : undefined)
}

/** The fault of a member whose data is not damaged. */
function faultOf(
  { alarms, cause, membership, state, status }: MemberFacts,
  { hasMajority, isSilent }: { hasMajority: boolean; isSilent: boolean },
): Omit<PlaneFault, 'component' | 'instance'> | undefined {
  if (membership === 'learner') {
    return { reason: 'it has not copied the data of the others', remedy: 'replace' }
  }
  if (alarms.includes('NOSPACE')) {
    const { databaseBytes = 0, quotaBytes } = status ?? {}
    const words = quotaBytes === undefined ? 'full' : fullness(databaseBytes, quotaBytes)
    return { reason: `its database is ${words}, and etcd accepts no writes`, remedy: 'free-space' }
  }
  if (isWorking(status)) {
    return undefined
  }
  if (state === 'missing') {
    return cause ?? { reason: 'it is missing', remedy: 'start' }
  }
  if (state === 'ended') {
    return cause ?? { reason: 'it has exited', remedy: 'restart' }
  }
  if (state === 'starting') {
    return undefined
  }
  if (status === undefined) {
    return cause ?? { reason: 'it does not answer', remedy: 'restart' }
  }
  return hasMajority || isSilent ? { reason: 'it has no leader', remedy: 'restart' } : undefined
}
