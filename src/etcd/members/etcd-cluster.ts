import { VplaneError } from '../../shared/errors.ts'
import type { Hint } from '../../shared/hint.ts'
import type { EtcdConnection } from '../etcd-connection.ts'
import {
  isWorking,
  type MemberStatus,
  memberStatus,
  memberStatusWithin,
} from '../status/member-status.ts'
import { type Alarm, listAlarms } from '../status/alarms.ts'
import { listMembers, type Member } from './members.ts'
import type { ListedMember } from '../planner/observed-etcd.ts'

/** The maximum number of etcd members. */
const MOST_MEMBERS = 9

/** How long a member may take to report its status, in milliseconds; a working one answers at once if its machine is not busy. */
export const STATUS_TIMEOUT_MS = 10_000

/** What the members of an etcd say at one moment. */
export interface ProbedEtcd {
  /** The status of each member, by its ordinal; undefined for those that do not answer in time. */
  statuses: ReadonlyArray<MemberStatus | undefined>
  /** The list of a majority. @default no majority answers */
  members?: readonly ListedMember[] | undefined
  /** The id of the leader. @default no majority answers */
  leader?: string | undefined
  /** The alarms that a majority knows. */
  alarms: readonly Alarm[]
}

/** The members of a plane's etcd by their ordinals. */
export interface EtcdCluster {
  at(ordinal: number): EtcdConnection
  /** The URL of a member for the other members. */
  peerUrl(ordinal: number): string
  /** Asks each member once, and the first one that works for what a majority knows. */
  probe(signal: AbortSignal): Promise<ProbedEtcd>
  /** The connection to the first member that works, but for this one. @throws {VplaneError} `UNREACHABLE` when none does. */
  speaker(signal: AbortSignal, except?: EtcdConnection): Promise<EtcdConnection>
}

/** The ordinals of the members that work: they have a vote, and know a leader. */
export function workingOrdinals({ statuses }: Pick<ProbedEtcd, 'statuses'>): number[] {
  return [...statuses.keys()].filter((ordinal) => isWorking(statuses[ordinal]))
}

/** The ordinal of the leader; undefined without a majority, or if its peer URL belongs to no pod of the plane. */
export function leadingOrdinal({ leader, members = [] }: ProbedEtcd): number | undefined {
  return members.find(({ id }) => id === leader)?.ordinal
}

/** As `leadingOrdinal`. @throws {VplaneError} `UNREACHABLE` without one; `what` is the etcd. */
export function requireLeader(probed: ProbedEtcd, what: string): number {
  const leader = leadingOrdinal(probed)
  if (leader === undefined) {
    throw new VplaneError('UNREACHABLE', `${what} has no leader`)
  }
  return leader
}

export interface ClusterOptions extends Pick<EtcdCluster, 'at' | 'peerUrl'> {
  /** The etcd, in errors: `etcd of "dev"`. */
  what: string
  /** Returns the current number of members, including those that are being added. */
  count: () => number
  /** What to do if no member works. @default [] */
  hints?: readonly Hint[]
}

/** The members of an etcd, given how to connect to each of them. */
export function etcdCluster({ at, count, hints = [], peerUrl, what }: ClusterOptions): EtcdCluster {
  const ordinals = () => Array.from({ length: count() }, (_, ordinal) => ordinal)
  const toListed = ({ id, isLearner, name, peerUrls }: Member): ListedMember => ({
    id,
    ordinal: POSSIBLE.find((ordinal) => peerUrls.includes(peerUrl(ordinal))),
    isLearner,
    hasStarted: !isLearner || name !== '',
  })
  const sharedBy = async (connection: EtcdConnection, signal: AbortSignal) => {
    const [members, alarms] = await Promise.all([
      listMembers(connection, signal),
      listAlarms(connection, signal),
    ])
    return { members: members.map(toListed), alarms }
  }
  return {
    at,
    peerUrl,
    probe: async (signal) => {
      const statuses = await Promise.all(
        ordinals().map((ordinal) => memberStatusWithin(STATUS_TIMEOUT_MS, at(ordinal), signal)),
      )
      // A member that was just removed still answers, and knows a leader; what a majority knows it cannot read.
      for (const ordinal of workingOrdinals({ statuses })) {
        const shared = await unlessRefused(sharedBy(at(ordinal), signal), signal)
        if (shared !== undefined) {
          return { statuses, leader: statuses[ordinal]?.leader, ...shared }
        }
      }
      return { statuses, alarms: [] }
    },
    speaker: async (signal, except) => {
      const stop = new AbortController()
      const either = AbortSignal.any([signal, stop.signal, AbortSignal.timeout(STATUS_TIMEOUT_MS)])
      const connections = ordinals().map(at)
      const others = connections.filter((connection) => connection.what !== except?.what)
      const asked = others.map(async (connection) => {
        if (!isWorking(await memberStatus(connection, either))) {
          throw new VplaneError('UNREACHABLE', `${connection.what} has no leader`)
        }
        return connection
      })
      try {
        return await Promise.any(asked)
      } catch (error) {
        signal.throwIfAborted()
        const message = `no member of ${what} knows a leader`
        throw new VplaneError('UNREACHABLE', message, { hints, cause: error })
      } finally {
        stop.abort()
      }
    },
  }
}

const POSSIBLE = Array.from({ length: MOST_MEMBERS }, (_, ordinal) => ordinal)

/** Undefined when etcd cannot be asked, or refuses. */
async function unlessRefused<Result>(
  answer: Promise<Result>,
  signal: AbortSignal,
): Promise<Result | undefined> {
  try {
    return await answer
  } catch (error) {
    signal.throwIfAborted()
    if (!(error instanceof VplaneError)) {
      throw error
    }
    return undefined
  }
}
