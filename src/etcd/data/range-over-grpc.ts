import { askOnce } from '../ask-once.ts'
import type { EtcdConnection } from '../etcd-connection.ts'
import { exactNumber, protobufFields, protobufMessage } from '../protobuf.ts'

const PATH = '/etcdserverpb.KV/Range'

/** The fields of `RangeRequest`, `RangeResponse`, its `header`, and `mvccpb.KeyValue`. */
const REQUEST = { key: 1, rangeEnd: 2, limit: 3, revision: 4, keysOnly: 8 } as const
const RESPONSE = { header: 1, kvs: 2, more: 3 } as const
const HEADER = { revision: 3 } as const
const PAIR = { key: 1, value: 5, lease: 6 } as const

const EMPTY = Buffer.alloc(0)

export interface StoredPair {
  key: Buffer
  value: Buffer
  /** The key expires. */
  hasLease: boolean
  /** The id of its lease; kine has the seconds of its life instead. @default unknown, or none */
  lease?: bigint
}

export interface RangePage {
  /** @default the server does not report it */
  revision?: number
  pairs: StoredPair[]
  hasMore: boolean
}

export interface PageRequest {
  from: Buffer
  /** @default only the key `from` */
  to?: Buffer
  limit: number
  /** @default the latest one */
  revision?: number | undefined
  /** Without their values. @default false */
  keysOnly?: boolean
  /** A larger page is not read. @default any size */
  mostBytes?: number | undefined
  signal: AbortSignal
}

/** Reads keys with gRPC, which kine has, too. @throws {VplaneError} as `callEtcd` does. */
export async function rangeOverGrpc(
  connection: EtcdConnection,
  { from, keysOnly = false, limit, mostBytes, revision = 0, signal, to = EMPTY }: PageRequest,
): Promise<RangePage> {
  const body = protobufMessage([
    [REQUEST.key, from],
    [REQUEST.rangeEnd, to],
    [REQUEST.limit, limit],
    [REQUEST.revision, revision],
    [REQUEST.keysOnly, keysOnly ? 1 : 0],
  ])
  const fields = await askOnce(connection, { path: PATH, body, mostBytes, signal })
  const header = protobufFields(fields.bytes.get(RESPONSE.header) ?? Buffer.alloc(0))
  const found = header?.numbers.get(HEADER.revision)
  return {
    ...(found === undefined ? {} : { revision: found }),
    pairs: (fields.lists.get(RESPONSE.kvs) ?? []).map(pairIn),
    hasMore: fields.numbers.get(RESPONSE.more) === 1,
  }
}

function pairIn(message: Buffer): StoredPair {
  const fields = protobufFields(message)
  const lease = exactNumber(fields?.varints.get(PAIR.lease) ?? Buffer.alloc(0))
  return {
    key: fields?.bytes.get(PAIR.key) ?? Buffer.alloc(0),
    value: fields?.bytes.get(PAIR.value) ?? Buffer.alloc(0),
    hasLease: lease !== 0n,
    ...(lease === 0n ? {} : { lease }),
  }
}
