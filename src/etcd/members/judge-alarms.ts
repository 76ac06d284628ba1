import type { MemberPlace, ObservedEtcd } from '../planner/observed-etcd.ts'
import { type Alarm, ANY_MEMBER } from '../status/alarms.ts'
import { compareData } from './compare-data.ts'
import type { EtcdCluster, ProbedEtcd } from './etcd-cluster.ts'

/** What the alarms of an etcd say about its members, by their ordinals. */
export interface JudgedAlarms {
  /** Voters whose data differs from that of a majority. */
  corrupt: readonly number[]
  /** Voters have different data, and no majority is known to have the same. */
  isUndecided: boolean
  /** Members whose database has reached its quota. */
  full: readonly number[]
  /**
   * Alarms that have no cause any more: of former members, and of corrupt data when all voters have the same. About a former
   * member it is enough that a majority has the same and no voter is known to differ.
   */
  stale: readonly Alarm[]
}

/**
 * Finds out which members the alarms of an etcd are about. For corrupt data only a comparison tells: etcd's periodic check
 * blames each member that differs from the leader, its check at compactions names no member without a majority, and with
 * its check at starts a sound member does not start beside a corrupt one (etcd 3.6, server/etcdserver/corrupt.go).
 * @param doubted members that did not start because others have different data. @default none
 */
export async function judgeAlarms(
  cluster: Pick<EtcdCluster, 'at' | 'probe'>,
  probed: ProbedEtcd,
  { doubted = [], signal }: { doubted?: readonly number[]; signal: AbortSignal },
): Promise<JudgedAlarms> {
  const { alarms, members = [] } = probed
  const ordinalOf = ({ memberId }: Alarm) => members.find(({ id }) => id === memberId)?.ordinal
  const isFormer = ({ memberId }: Alarm) =>
    memberId !== ANY_MEMBER && !members.some(({ id }) => id === memberId)
  const corruptions = alarms.filter(({ kind }) => kind === 'CORRUPT')
  const others = alarms.filter(({ kind }) => kind !== 'CORRUPT')
  const isInDoubt = probed.members !== undefined && corruptions.length + doubted.length > 0
  const compared = isInDoubt ? await compareData(cluster, probed, signal) : undefined
  const voters = members.filter(({ isLearner }) => !isLearner)
  const isSame = compared?.agreed.length === voters.length
  const isUnopposed =
    compared?.different.length === 0 &&
    compared.agreed.length + compared.incomparable.length === voters.length
  return {
    corrupt: compared === undefined ? [] : [...compared.different, ...doubted],
    isUndecided: isInDoubt && compared === undefined,
    full: others.flatMap((alarm) => ordinalOf(alarm) ?? []),
    stale: [
      ...others.filter(isFormer),
      ...corruptions.filter((alarm) => isSame || (isUnopposed && isFormer(alarm))),
    ],
  }
}

/** What the planner gets of the alarms: those about damaged members end with their replacement, and hold none of its steps. */
export function plannedAlarms(
  { corrupt, full, isUndecided, stale }: JudgedAlarms,
  places: ReadonlyArray<Pick<MemberPlace, 'damage' | 'ordinal'>>,
): Pick<ObservedEtcd, 'alarms' | 'staleAlarms'> {
  const isOpen = (ordinal: number) =>
    places.find((place) => place.ordinal === ordinal)?.damage === undefined
  return {
    alarms: [
      ...(isUndecided || corrupt.some(isOpen) ? ['CORRUPT' as const] : []),
      ...(full.some(isOpen) ? ['NOSPACE' as const] : []),
    ],
    staleAlarms: stale,
  }
}
