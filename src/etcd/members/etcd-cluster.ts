import { VplaneError } from '../../shared/errors.ts'
import type { Hint } from '../../shared/hint.ts'
import type { EtcdConnection } from '../etcd-connection.ts'
import {
  isWorking,
  type MemberStatus,
  memberStatus,
  memberStatusWithin,
} from '../status/member-status.ts'
import { listMembers, type Member } from './members.ts'
import type { ListedMember } from '../planner/observed-etcd.ts'

/** The maximum number of etcd members. */
const MOST_MEMBERS = 9

/** How long a member may take to report its status, in milliseconds; a working one answers at once if its machine is not busy. */
export const STATUS_TIMEOUT_MS = 10_000

/** The members of a plane's etcd by their ordinals. Methods need any working member, and no particular one. */
export interface EtcdCluster {
  at(ordinal: number): EtcdConnection
  /** The URL of a member for the other members. */
  peerUrl(ordinal: number): string
  /** The status of each member, by its ordinal; undefined for those that do not answer in time. */
  statuses(signal: AbortSignal): Promise<Array<MemberStatus | undefined>>
  /** The ordinals of the members that work: they have a vote, and know a leader. */
  working(signal: AbortSignal): Promise<number[]>
  /** The connection to the first member that works. @throws {VplaneError} `UNREACHABLE` when none does. */
  speaker(signal: AbortSignal): Promise<EtcdConnection>
  /** The list of a majority, and the id of the leader. @throws {VplaneError} as `speaker` does. */
  membership(signal: AbortSignal): Promise<{ members: ListedMember[]; leader: string }>
  /** The ordinal of the leader; undefined if its peer URL belongs to no pod of the plane. */
  leader(signal: AbortSignal): Promise<number | undefined>
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
  const isAt =
    (ordinal: number) =>
    ({ peerUrls }: Member) =>
      peerUrls.includes(peerUrl(ordinal))
  const statuses = (signal: AbortSignal) =>
    Promise.all(
      ordinals().map((ordinal) => memberStatusWithin(STATUS_TIMEOUT_MS, at(ordinal), signal)),
    )
  const first = async (signal: AbortSignal): Promise<Speaker> => {
    const stop = new AbortController()
    const either = AbortSignal.any([signal, stop.signal, AbortSignal.timeout(STATUS_TIMEOUT_MS)])
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
  return {
    at,
    peerUrl,
    statuses,
    working: async (signal) => {
      const found = await statuses(signal)
      return ordinals().filter((ordinal) => isWorking(found[ordinal]))
    },
    speaker: async (signal) => (await first(signal)).connection,
    membership: async (signal) => {
      const { connection, leader } = await first(signal)
      const listed = await listMembers(connection, signal)
      return {
        leader,
        members: listed.map((one) => ({
          id: one.id,
          ordinal: POSSIBLE.find((ordinal) => isAt(ordinal)(one)),
          isLearner: one.isLearner,
          hasStarted: !one.isLearner || one.name !== '',
        })),
      }
    },
    leader: async (signal) => {
      const { connection, leader } = await first(signal)
      const leading = (await listMembers(connection, signal)).filter(({ id }) => id === leader)
      return POSSIBLE.find((ordinal) => leading.some(isAt(ordinal)))
    },
  }
}

const POSSIBLE = Array.from({ length: MOST_MEMBERS }, (_, ordinal) => ordinal)

/** The ordinals of existing members from `count` on. */
export function surplusAmong(
  members: readonly Member[],
  { count, peerUrl }: Pick<EtcdCluster, 'peerUrl'> & { count: number },
): number[] {
  return POSSIBLE.slice(count).filter((ordinal) =>
    members.some(({ peerUrls }) => peerUrls.includes(peerUrl(ordinal))),
  )
}

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
