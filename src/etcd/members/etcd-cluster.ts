import { VplaneError } from '../../shared/errors.ts'
import type { Hint } from '../../shared/hint.ts'
import type { EtcdConnection } from '../etcd-connection.ts'
import {
  isWorking,
  type MemberStatus,
  memberStatus,
  memberStatusWithin,
} from '../status/member-status.ts'
import { listMembers, type Member, moveLeader } from './members.ts'

/** How many members etcd has at most. */
export const MOST_MEMBERS = 9

/** How long a member may take to say how it is, in milliseconds: one that works does so at once, on a machine that is not busy. */
export const LOOK_MS = 10_000

/** The members of a plane's etcd by their ordinals. No one of them has to work for the others to be used. */
export interface EtcdCluster {
  /** The way to one member. */
  at(ordinal: number): EtcdConnection
  /** Where the other members find the one of an ordinal. */
  peerUrl(ordinal: number): string
  /** How each member says it is, by its ordinal; undefined for those that do not answer in time. */
  statuses(signal: AbortSignal): Promise<Array<MemberStatus | undefined>>
  /** The ordinals of the members that work: they have a vote, and know who leads. */
  working(signal: AbortSignal): Promise<number[]>
  /**
   * The way to the first member that works, for whatever any may be asked.
   *
   * @throws {VplaneError} `UNREACHABLE` when there is none: etcd has no majority, or cannot be reached.
   */
  speaker(signal: AbortSignal): Promise<EtcdConnection>
  /** The member of an ordinal; undefined when the cluster knows none. */
  member(ordinal: number, signal: AbortSignal): Promise<Member | undefined>
  /** The ordinals of which the cluster knows no member. */
  absent(signal: AbortSignal): Promise<number[]>
  /** The ordinals of the members that have a vote, whether they work or not. */
  voters(signal: AbortSignal): Promise<number[]>
  /** The ordinals from `count` on of which the cluster knows a member, with a vote or without. @default all that there are now */
  surplus(signal: AbortSignal, count?: number): Promise<number[]>
  /** The ordinal of the member that leads. */
  leader(signal: AbortSignal): Promise<number | undefined>
  /** Lets the member of `to` lead where that of `from` does. */
  moveLeader(from: number, to: number, signal: AbortSignal): Promise<void>
}

export interface ClusterOptions extends Pick<EtcdCluster, 'at' | 'peerUrl'> {
  /** etcd, as the error names it: `etcd of "dev"`. */
  what: string
  /** How many members there are now, those that come included. */
  count: () => number
  /** What to do when none works. @default [] */
  hints?: readonly Hint[]
}

/** Knows the members of an etcd by the ways to them. */
export function etcdCluster({ at, count, hints = [], peerUrl, what }: ClusterOptions): EtcdCluster {
  const ordinals = () => Array.from({ length: count() }, (_, ordinal) => ordinal)
  const isAt =
    (ordinal: number) =>
    ({ peerUrls }: Member) =>
      peerUrls.includes(peerUrl(ordinal))
  const statuses = (signal: AbortSignal) =>
    Promise.all(ordinals().map((ordinal) => memberStatusWithin(LOOK_MS, at(ordinal), signal)))
  const first = async (signal: AbortSignal): Promise<Speaker> => {
    const stop = new AbortController()
    const either = AbortSignal.any([signal, stop.signal, AbortSignal.timeout(LOOK_MS)])
    const asked = ordinals().map(async (ordinal) => speakerOf(at(ordinal), either))
    try {
      return await Promise.any(asked)
    } catch (error) {
      signal.throwIfAborted()
      throw new VplaneError('UNREACHABLE', `no member of ${what} knows a leader`, {
        hints,
        cause: error,
      })
    } finally {
      stop.abort()
    }
  }
  const member = async (ordinal: number, signal: AbortSignal) => {
    const { connection } = await first(signal)
    return (await listMembers(connection, signal)).find(isAt(ordinal))
  }
  return {
    at,
    peerUrl,
    statuses,
    working: async (signal) => {
      const found = await statuses(signal)
      return ordinals().filter((ordinal) => isWorking(found[ordinal]))
    },
    speaker: async (signal) => (await first(signal)).connection,
    member,
    absent: async (signal) => {
      const { connection } = await first(signal)
      const members = await listMembers(connection, signal)
      return ordinals().filter((ordinal) => !members.some(isAt(ordinal)))
    },
    voters: async (signal) => {
      const { connection } = await first(signal)
      const voters = (await listMembers(connection, signal)).filter(({ isLearner }) => !isLearner)
      return POSSIBLE.filter((ordinal) => voters.some(isAt(ordinal)))
    },
    surplus: async (signal, from = count()) => {
      const { connection } = await first(signal)
      return surplusAmong(await listMembers(connection, signal), { count: from, peerUrl })
    },
    leader: async (signal) => {
      const { connection, leader } = await first(signal)
      const members = await listMembers(connection, signal)
      const leading = members.filter(({ id }) => id === leader)
      return POSSIBLE.find((ordinal) => leading.some(isAt(ordinal)))
    },
    moveLeader: async (from, to, signal) => {
      const heir = await member(to, signal)
      if (heir !== undefined) {
        await moveLeader(at(from), heir.id, signal)
      }
    },
  }
}

const POSSIBLE = Array.from({ length: MOST_MEMBERS }, (_, ordinal) => ordinal)

/** The ordinals of members of an etcd that are not among the first so many. */
export function surplusAmong(
  members: readonly Member[],
  { count, peerUrl }: Pick<EtcdCluster, 'peerUrl'> & { count: number },
): number[] {
  return POSSIBLE.slice(count).filter((ordinal) =>
    members.some(({ peerUrls }) => peerUrls.includes(peerUrl(ordinal))),
  )
}

/** A member that works, and who leads as it knows. */
interface Speaker {
  connection: EtcdConnection
  leader: string
}

async function speakerOf(connection: EtcdConnection, signal: AbortSignal): Promise<Speaker> {
  const status = await memberStatus(connection, signal)
  if (!isWorking(status)) {
    throw new VplaneError('UNREACHABLE', `${connection.what} knows no leader`)
  }
  return { connection, leader: status.leader }
}
