import { VplaneError } from '../../shared/errors.ts'
import type { EtcdConnection } from '../etcd-connection.ts'
import { askEtcd } from '../post-to-etcd.ts'
import { recordAt } from '../../shared/json-fields.ts'

/** How long etcd may take to say its revision, in milliseconds. */
const LATEST_MS = 10_000

/** What a member of etcd says of itself, whether there is a majority or not. */
export interface MemberStatus {
  /** Of 64 bits: a decimal number as text. */
  id: string
  /** The id of the member that leads, as this one knows; undefined while none does. */
  leader?: string
  /** Up to which it knows all that was stored. */
  revision: number
  /** It copies what the others store, and has no vote yet. */
  isLearner: boolean
  /** Of its database as a file. */
  databaseBytes: number
  /** How much of that holds something: the rest is free, and stays there until it is defragmented. */
  inUseBytes: number
  /** How large that may become; undefined when it does not say (etcd before 3.6). */
  quotaBytes?: number
}

/**
 * Asks a member of etcd how it is. That it answers says that its process works.
 *
 * @throws {VplaneError} `UNREACHABLE`, `FAILED`, as `postToEtcd`.
 */
export async function memberStatus(
  connection: EtcdConnection,
  signal: AbortSignal,
): Promise<MemberStatus> {
  const answer = await askEtcd(connection, { path: '/v3/maintenance/status', signal })
  const fields = recordAt(answer) ?? {}
  const header = recordAt(fields, 'header') ?? {}
  const revision = Number(header['revision'])
  if (!Number.isSafeInteger(revision)) {
    throw new VplaneError('FAILED', `${connection.what} does not say its revision`)
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

/** How a member of etcd says it is; undefined when it does not within a time. */
export async function memberStatusWithin(
  limitMs: number,
  connection: EtcdConnection,
  signal: AbortSignal,
): Promise<MemberStatus | undefined> {
  try {
    const limit = AbortSignal.timeout(limitMs)
    return await memberStatus(connection, AbortSignal.any([signal, limit]))
  } catch {
    // That it does not answer is what is asked.
    signal.throwIfAborted()
    return undefined
  }
}

/** The revision that etcd has come to, or the latest one that is known otherwise when it does not say its own in time. */
export async function latestRevision(
  connect: () => Promise<EtcdConnection>,
  { known, signal }: { known: number; signal: AbortSignal },
): Promise<number> {
  try {
    const status = await memberStatusWithin(LATEST_MS, await connect(), signal)
    return Math.max(known, status?.revision ?? 0)
  } catch {
    // It may have been killed in this moment, and what it was asked for is not worth to fail for.
    signal.throwIfAborted()
    return known
  }
}

/** Whether a member has a vote and is one of a majority. */
export function isWorking(
  status: MemberStatus | undefined,
): status is MemberStatus & { leader: string } {
  return status?.leader !== undefined && !status.isLearner
}
