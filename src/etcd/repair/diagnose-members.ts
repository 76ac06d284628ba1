import type { Diagnosis, PlaneFault, Survivor } from '../../control-plane/driver/repair.ts'
import type { Damage } from './data-damage.ts'
import { fullness } from './free-space.ts'
import { isWorking, type MemberStatus } from '../status/member-status.ts'

/** What is known of one member of etcd, from whoever runs it, from itself, and from the others. */
export interface MemberFacts {
  /** Its pod or its process, as people know it. */
  instance: string
  /** `starting`: it was begun a moment ago. */
  state: 'missing' | 'starting' | 'running' | 'ended'
  /** What it says of itself; undefined when it does not answer. */
  status: MemberStatus | undefined
  /** It was started without a majority and waits for one: that is all it says. @default false */
  isWaiting?: boolean
  /** What is wrong with its data. @default nothing is known to be */
  damage?: Damage | undefined
  /** How its data was lost, where more is known of that. */
  loss?: Pick<PlaneFault, 'reason' | 'hints'> | undefined
  /** As whom the others know it. @default nobody can be asked */
  membership?: 'voter' | 'learner' | 'unknown'
  /** Kinds of the alarms that it has raised. */
  alarms: readonly string[]
  /** Why it does not run, where somebody else knows. */
  cause?: Pick<PlaneFault, 'reason' | 'hints' | 'remedy'> | undefined
}

/** The revision of an etcd that has never stored anything: whoever comes back empty begins there, and has nothing to give. */
const EMPTY_REVISION = 1

/**
 * What is wrong with the members of an etcd, and whether they are still enough. Pure.
 *
 * @param isGivenUp whether a new etcd is to be made of what they have, with a majority or without. @default false
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
      return [{ component: 'etcd', instance, reason: WORDS[damage], ...member.loss, remedy }]
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

const WORDS: Record<Damage, string> = {
  lost: 'its data is lost',
  corrupt: 'its data is corrupt',
  removed: 'etcd does not have it as a member any more',
}

/** What its last words say of its data is over when it answers: it had ended before it was asked, and has come back since. */
function damageOf({
  alarms,
  damage: said,
  membership,
  state,
  status,
}: MemberFacts): Damage | undefined {
  const damage = status === undefined ? said : undefined
  if (damage === undefined && alarms.includes('CORRUPT')) {
    return 'corrupt'
  }
  return damage ?? (membership === 'unknown' && state !== 'missing' ? 'removed' : undefined)
}

/** What is wrong with a member whose data is as it is to be. */
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
    return { reason: `its database is ${words}, and etcd takes no writes`, remedy: 'free-space' }
  }
  if (isWorking(status)) {
    return undefined
  }
  if (state === 'missing') {
    return cause ?? { reason: 'it is not there', remedy: 'start' }
  }
  if (state === 'ended') {
    return cause ?? { reason: 'it has ended', remedy: 'restart' }
  }
  if (state === 'starting') {
    return undefined
  }
  if (status === undefined) {
    return cause ?? { reason: 'it does not answer', remedy: 'restart' }
  }
  return hasMajority || isSilent
    ? { reason: 'it does not know who leads', remedy: 'restart' }
    : undefined
}
