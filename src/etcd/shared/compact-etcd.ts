import type { EtcdConnection } from '../etcd-connection.ts'
import { isCompacted } from '../revision-errors.ts'
import { protobufFields, type ProtobufFields, protobufMessage } from '../protobuf.ts'
import { askOnce } from '../ask-once.ts'

/** Where kube-apiserver reads which revision was compacted. */
export const COMPACT_KEY = Buffer.from('compact_rev_key')

/** The fields of `TxnRequest`, `Compare`, `RequestOp`, `PutRequest`, `RangeRequest` and `CompactionRequest`. */
const TXN = { compare: 1, success: 2, failure: 3 } as const
const COMPARE = { key: 3, version: 4 } as const
const OPERATION = { range: 1, put: 2 } as const
const KEY = 1
const VALUE = 2
const REVISION = 1

/** The fields of `TxnResponse`, of its header, of `RangeResponse` and `mvccpb.KeyValue`. */
const ANSWER = { header: 1, succeeded: 2, responses: 3 } as const
const HEADER_REVISION = 3
const RANGE_KVS = 2
const PAIR_VERSION = 4

/** What a compactor knows: how often the key was written, and the revision of the etcd at that time. */
export interface CompactionState {
  version: number
  revision: number
}

/** What it knows at first. */
export const NEVER_COMPACTED: CompactionState = { version: 0, revision: 0 }

/**
 * Compacts what was stored before the last call, as kube-apiserver does (k8s.io/apiserver, storage/etcd3/compact.go): of
 * several that do so at intervals, also on other machines, one compacts in each interval. etcd lets only its root user.
 * @throws {VplaneError} as `callEtcd` does.
 */
export async function compactEtcd(
  connection: EtcdConnection,
  known: CompactionState,
  signal: AbortSignal,
): Promise<CompactionState & { hasCompacted: boolean }> {
  const txn = await askOnce(connection, {
    path: '/etcdserverpb.KV/Txn',
    body: takeTurn(known),
    signal,
  })
  const header = protobufFields(txn.bytes.get(ANSWER.header) ?? Buffer.alloc(0))
  const revision = header?.numbers.get(HEADER_REVISION) ?? known.revision
  if (txn.numbers.get(ANSWER.succeeded) !== 1) {
    return { version: versionIn(txn) ?? known.version, revision, hasCompacted: false }
  }
  if (known.revision > 0) {
    const body = protobufMessage([[REVISION, known.revision]])
    await askOnce(connection, { path: '/etcdserverpb.KV/Compact', body, signal }).catch(
      (error: unknown) => {
        if (!isCompacted(error)) {
          throw error
        }
      },
    )
  }
  return { version: known.version + 1, revision, hasCompacted: known.revision > 0 }
}

/** If nobody has written the key meanwhile, write it; else read it. */
function takeTurn({ revision, version }: CompactionState): Buffer {
  // The result `EQUAL` and the target `VERSION` are zero.
  const compare = protobufMessage([
    [COMPARE.key, COMPACT_KEY],
    [COMPARE.version, version],
  ])
  const put = protobufMessage([
    [KEY, COMPACT_KEY],
    [VALUE, Buffer.from(String(revision))],
  ])
  const range = protobufMessage([[KEY, COMPACT_KEY]])
  return protobufMessage([
    [TXN.compare, compare],
    [TXN.success, protobufMessage([[OPERATION.put, put]])],
    [TXN.failure, protobufMessage([[OPERATION.range, range]])],
  ])
}

function versionIn({ bytes }: ProtobufFields): number | undefined {
  const inside = (message: Buffer | undefined, field: number) =>
    message && protobufFields(message)?.bytes.get(field)
  const range = inside(bytes.get(ANSWER.responses), OPERATION.range)
  const pair = inside(range, RANGE_KVS)
  return pair && protobufFields(pair)?.numbers.get(PAIR_VERSION)
}
