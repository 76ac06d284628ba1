import { setTimeout as delay } from 'node:timers/promises'
import { VplaneError } from '../../shared/errors.ts'
import { numberAt, textAt } from '../../shared/json-fields.ts'
import type { EtcdConnection } from '../etcd-connection.ts'
import { askEtcd } from '../post-to-etcd.ts'
import { isWorking } from '../status/member-status.ts'
import type { EtcdCluster, ProbedEtcd } from './etcd-cluster.ts'

/** Members compact at slightly different moments; until all of them have, their hashes say nothing. */
const ATTEMPTS = 10
const RETRY_MS = 500

/** A member reads all its data for a hash. */
const HASH_TIMEOUT_MS = 60_000

/** What the voters of an etcd store, by their ordinals. */
export interface ComparedData {
  /** A majority of all voters, which store the same. */
  agreed: readonly number[]
  /** Those that store something else. */
  different: readonly number[]
  /** Those whose hash cannot be compared, because it is of another compaction. */
  incomparable: readonly number[]
}

/**
 * Compares the data of all voters that work, at the latest revision that each of them has. A voter that does not answer is
 * in neither list. Undefined while no majority is known to have the same data.
 *
 * The hash of the data up to a revision depends on the last compaction (etcd 3.6, server/storage/mvcc/hash.go), so that
 * only members with the same one are compared. For the revision of a compaction, members that were there return the hash
 * that they computed then, which depends on the compaction before, and a new member that of now: if nothing is written
 * since, as with the alarm of corrupt data, these cannot be compared.
 */
export async function compareData(
  cluster: Pick<EtcdCluster, 'at' | 'probe'>,
  probed: ProbedEtcd,
  signal: AbortSignal,
): Promise<ComparedData | undefined> {
  let latest = probed
  for (let attempt = 1; ; attempt += 1) {
    const { compared, isComplete } = await compareOnce(cluster, latest, signal)
    if (isComplete || attempt === ATTEMPTS || latest.members === undefined) {
      return compared
    }
    await delay(RETRY_MS, undefined, { signal })
    latest = await cluster.probe(signal)
  }
}

interface Comparison {
  compared: ComparedData | undefined
  /** Whether all voters that work could be compared. */
  isComplete: boolean
}

async function compareOnce(
  cluster: Pick<EtcdCluster, 'at'>,
  { members = [], statuses }: ProbedEtcd,
  signal: AbortSignal,
): Promise<Comparison> {
  const voters = members.filter(({ isLearner }) => !isLearner)
  const working = voters.flatMap(({ id, ordinal }) => {
    const status = ordinal === undefined ? undefined : statuses[ordinal]
    return ordinal !== undefined && isWorking(status) && status.id === id
      ? [{ ordinal, revision: status.revision }]
      : []
  })
  const revision = Math.min(...working.map((member) => member.revision))
  const hashes = await Promise.all(
    working.map(async ({ ordinal }) => ({
      ordinal,
      ...(await hashWithin(cluster.at(ordinal), revision, signal)),
    })),
  )
  const compactions = new Set(hashes.map(({ compaction }) => compaction))
  const agreed = hashes
    .map(({ hash }) => hashes.filter((one) => one.hash !== undefined && one.hash === hash))
    .find((alike) => alike.length * 2 > voters.length)
  const isComplete = compactions.size === 1 && !compactions.has(undefined)
  const [first] = agreed ?? []
  if (agreed === undefined || first === undefined) {
    return { compared: undefined, isComplete }
  }
  const ordinalsOf = (found: typeof hashes) => found.map(({ ordinal }) => ordinal)
  const answered = hashes.filter(({ hash }) => hash !== undefined && hash !== first.hash)
  const compared = {
    agreed: ordinalsOf(agreed),
    different: ordinalsOf(answered.filter(({ compaction }) => compaction === first.compaction)),
    incomparable: ordinalsOf(answered.filter(({ compaction }) => compaction !== first.compaction)),
  }
  return { compared, isComplete }
}

interface Hashed {
  /** Of the data and of the compaction. */
  hash: string
  /** The revision of the last compaction. */
  compaction: string
}

/** Undefined when the member does not answer in time, or has compacted that revision. */
async function hashWithin(
  connection: EtcdConnection,
  revision: number,
  signal: AbortSignal,
): Promise<Hashed | undefined> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(HASH_TIMEOUT_MS)])
  try {
    const path = '/v3/maintenance/hashkv'
    const body = { revision: String(revision) }
    const answer = await askEtcd(connection, { path, body, signal: limit })
    const compaction = textAt(answer, 'compact_revision') ?? '0'
    return { hash: `${numberAt(answer, 'hash') ?? 0} after ${compaction}`, compaction }
  } catch (error) {
    signal.throwIfAborted()
    if (!limit.aborted && !(error instanceof VplaneError)) {
      throw error
    }
    return undefined
  }
}
