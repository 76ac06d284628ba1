import { VplaneError } from '../../shared/errors.ts'
import type { EtcdConnection } from '../etcd-connection.ts'
import { askEtcd } from '../post-to-etcd.ts'
import { recordAt } from '../../shared/json-fields.ts'

const LATEST_MS = 10_000

/** The status that an etcd member reports, with or without a majority. */
export interface MemberStatus {
  /** A decimal number of 64 bits. */
  id: string
  /** The id of the leader that it knows. @default it knows none */
  leader?: string
  revision: number
  /** It copies the data of the others, and has no vote yet. */
  isLearner: boolean
  databaseBytes: number
  /** The used part of the file; the rest is free, and remains until it is defragmented. */
  inUseBytes: number
  /** Maximum size of the database. @default unknown (etcd before 3.6) */
  quotaBytes?: number
}

/** Requests the status of an etcd member. An answer means that its process works. */
export async function memberStatus(
  connection: EtcdConnection,
  signal: AbortSignal,
): Promise<MemberStatus> {
  const answer = await askEtcd(connection, { path: '/v3/maintenance/status', signal })
  const fields = recordAt(answer) ?? {}
  const header = recordAt(fields, 'header') ?? {}
  const revision = Number(header['revision'])
  if (!Number.isSafeInteger(revision)) {
    throw new VplaneError('FAILED', `${connection.what} does not report its revision`)
  }
  const { leader = '0' } = fields
  const quotaBytes = Number(fields['dbSizeQuota'] ?? 0)
  return {
    id: String(header['member_id']),
    ...(leader === '0' ? {} : { leader: String(leader) }),
    revision,
    isLearner: fields['isLearner'] === true,
    databaseBytes: Number(fields['dbSize'] ?? 0),
    inUseBytes: Number(fields['dbSizeInUse'] ?? 0),
    ...(quotaBytes === 0 ? {} : { quotaBytes }),
  }
}

/** The status of an etcd member, or undefined if it does not answer within a time. */
export async function memberStatusWithin(
  limitMs: number,
  connection: EtcdConnection,
  signal: AbortSignal,
): Promise<MemberStatus | undefined> {
  try {
    const limit = AbortSignal.timeout(limitMs)
    return await memberStatus(connection, AbortSignal.any([signal, limit]))
  } catch {
    // No answer is a result.
    signal.throwIfAborted()
    return undefined
  }
}

/** The latest revision of etcd, or `known` if that is later or etcd does not answer in time. */
export async function latestRevision(
  connect: () => Promise<EtcdConnection>,
  {
    known,
    read = revisionOf,
    signal,
  }: {
    known: number
    /** For a store without a JSON gateway. @default it is etcd */
    read?: ((connection: EtcdConnection, signal: AbortSignal) => Promise<number>) | undefined
    signal: AbortSignal
  },
): Promise<number> {
  try {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(LATEST_MS)])
    return Math.max(known, await read(await connect(), limit))
  } catch {
    // The process may just have been killed, and the caller does not need the exact revision.
    signal.throwIfAborted()
    return known
  }
}

async function revisionOf(connection: EtcdConnection, signal: AbortSignal): Promise<number> {
  return (await memberStatus(connection, signal)).revision
}

/** Whether a member has a vote and belongs to a majority. */
export function isWorking(
  status: MemberStatus | undefined,
): status is MemberStatus & { leader: string } {
  return status?.leader !== undefined && !status.isLearner
}
