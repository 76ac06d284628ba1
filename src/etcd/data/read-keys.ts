import { isTooLarge } from '../call-etcd.ts'
import { isCompacted, isFuture } from '../revision-errors.ts'
import { VplaneError } from '../../shared/errors.ts'
import type { EtcdConnection } from '../etcd-connection.ts'
import { leaseLife } from './lease-life.ts'
import { prefixRange } from './prefix-range.ts'
import {
  type PageRequest,
  type RangePage,
  rangeOverGrpc,
  type StoredPair,
} from './range-over-grpc.ts'

/** A key of a plane, whatever its store is. */
export interface ReadKey extends StoredPair {
  /** The rest of its life, in seconds. @default it does not expire */
  ttlSeconds?: number
}

/** The size of a page that is aimed at: keys have very different values, and all of a page are in memory. */
const PAGE_BYTES = 1024 ** 2

const MOST_KEYS = 1000

/** A larger page is not read: large values can follow a thousand small ones. */
const MOST_BYTES = 32 * PAGE_BYTES

/** How often it begins with a later revision before it gives up. */
const MAX_ATTEMPTS = 5

/**
 * The keys between these are those that kube-apiserver stores: without the key of its compactions, which kine uses
 * too and gives another name in its answers, and without the empty key of a restored etcd. Their ends are UTF-8, as kine
 * gives them to its database.
 */
const RANGES = [
  { from: Buffer.of(1), to: Buffer.from('compact_rev_key') },
  { from: Buffer.from('compact_rev_key_apiserver\0'), to: Buffer.from('\u{10ffff}') },
] as const

/** kine creates it when it starts (pkg/server/types.go, `HealthKey`). No object can have this key. */
const HEALTH_KEY = '/registry/health'

function rangesOf({ prefix }: EtcdConnection) {
  return prefix === undefined ? RANGES : ([prefixRange(prefix)] as const)
}

/** The latest revision of a store, also of kine. @throws {VplaneError} `FAILED` when it does not report it. */
export async function currentRevision(
  connection: EtcdConnection,
  signal: AbortSignal,
): Promise<number> {
  const [range] = rangesOf(connection)
  const { revision } = await rangeOverGrpc(connection, { ...range, limit: 1, signal })
  if (revision === undefined) {
    throw new VplaneError('FAILED', `${connection.what} does not report its revision`)
  }
  return revision
}

/**
 * Reads all keys of a plane at one revision, page after page, over gRPC. `read` gets that revision and the keys in
 * their order, and is called again with a later one if the store has compacted the revision meanwhile.
 * @throws {VplaneError} `FAILED` when that happens every time, and as `callEtcd` does.
 */
export async function readAtOneRevision<Result>(
  connection: EtcdConnection,
  signal: AbortSignal,
  read: (revision: number, keys: AsyncIterable<ReadKey>) => Promise<Result>,
): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    // Not that of the first page: kine answers with keys of one revision and the number of a later one.
    const revision = await currentRevision(connection, signal)
    try {
      return await read(revision, keysAt(connection, { revision, signal }))
    } catch (error) {
      signal.throwIfAborted()
      if (!isCompacted(error)) {
        throw error
      }
      if (attempt === MAX_ATTEMPTS) {
        const message = `${connection.what} compacts its revisions faster than they can be read`
        throw new VplaneError('FAILED', message, { hints: ['run the command again'], cause: error })
      }
    }
  }
}

/**
 * All keys at a revision, in their order. A page begins with the last key of the one before: kine takes the next possible
 * key, which ends with a zero byte, for a later one in MySQL and PostgreSQL. @throws {VplaneError} as `callEtcd` does.
 */
export async function* keysAt(
  connection: EtcdConnection,
  { revision, signal }: { revision: number; signal: AbortSignal },
): AsyncGenerator<ReadKey, void, void> {
  const lifeOf = leaseLife(connection, signal)
  let limit = 100
  for (const { from: first, to } of rangesOf(connection)) {
    let known: Buffer | undefined
    for (;;) {
      const [from, most] = known === undefined ? [first, limit] : [known, limit + 1]
      const page = await pageOf(connection, { from, to, limit: most, revision, signal })
      for (const pair of page.pairs) {
        if (known?.equals(pair.key) !== true && String(pair.key) !== HEALTH_KEY) {
          yield {
            ...pair,
            ...(pair.hasLease ? { ttlSeconds: await lifeOf(pair.lease ?? 0n) } : {}),
          }
        }
      }
      const last = page.pairs.at(-1)
      if (!page.hasMore || last === undefined) {
        break
      }
      known = last.key
      limit = nextLimit(page.pairs)
    }
  }
}

/**
 * Reads fewer keys if they are too large together. Two are the fewest, as the first of them may be known.
 *
 * When kine finds nothing, it compares the revision with a number in memory, which stays behind after two writes at the same
 * time: then it calls the revision of its own answer a future one (0.17.2, pkg/logstructured/sqllog/sql.go, `List` and `Append`).
 */
async function pageOf(connection: EtcdConnection, request: PageRequest): Promise<RangePage> {
  const { limit } = request
  try {
    const mostBytes = limit > 2 ? MOST_BYTES : undefined
    return await rangeOverGrpc(connection, { ...request, mostBytes })
  } catch (error) {
    if (connection.hasLeases === false && isFuture(error)) {
      return { pairs: [], hasMore: false }
    }
    if (!isTooLarge(error)) {
      throw error
    }
    return await pageOf(connection, { ...request, limit: Math.max(2, Math.floor(limit / 8)) })
  }
}

function nextLimit(pairs: readonly StoredPair[]): number {
  const bytes = pairs.reduce((sum, { key, value }) => sum + key.length + value.length, 0)
  const wanted = Math.floor((PAGE_BYTES * pairs.length) / Math.max(1, bytes))
  return Math.min(MOST_KEYS, 2 * pairs.length, Math.max(1, wanted))
}
