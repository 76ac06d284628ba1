import type { ListedMember, MemberPlace, ObservedEtcd } from './observed-etcd.ts'

/** A member that etcd lists, and where it runs. */
export interface PlacedMember extends ListedMember {
  ordinal: number
  place: MemberPlace
}

/** An etcd whose majority answers. */
export interface AnsweringEtcd extends Omit<ObservedEtcd, 'members'> {
  members: readonly PlacedMember[]
  voters: readonly PlacedMember[]
  /** The voters that are known to work. */
  working: readonly PlacedMember[]
  at(ordinal: number): PlacedMember | undefined
  place(ordinal: number): MemberPlace
}

/** Joins etcd's list with the pods and claims of its members. */
export function membersAt(observed: ObservedEtcd, listed: readonly ListedMember[]): AnsweringEtcd {
  const place = (ordinal: number): MemberPlace =>
    observed.places.find((one) => one.ordinal === ordinal) ?? { ordinal, works: 'unknown' }
  const members = listed.flatMap(({ ordinal, ...member }): PlacedMember[] => {
    if (ordinal === undefined) {
      return []
    }
    const found = place(ordinal)
    // A learner that answers has started; etcd's list may have its name only seven seconds later.
    const hasStarted = member.hasStarted || found.works === 'yes'
    return [{ ...member, ordinal, place: found, hasStarted }]
  })
  const voters = members.filter(({ isLearner }) => !isLearner)
  return {
    ...observed,
    members,
    voters,
    working: voters.filter(isWorking),
    at: (ordinal) => members.find((member) => member.ordinal === ordinal),
    place,
  }
}

/** Whether a member answers and belongs to a majority. */
export function isWorking({ place }: Pick<PlacedMember, 'place'>): boolean {
  return place.works === 'yes'
}

/** Whether the voters that work are a majority of all that would be left without a member. */
export function hasMajorityWithout(
  { voters, working }: AnsweringEtcd,
  { id }: PlacedMember,
): boolean {
  const others = (members: readonly PlacedMember[]) => members.filter((one) => one.id !== id)
  return others(working).length * 2 > others(voters).length
}
