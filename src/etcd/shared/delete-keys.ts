import { rangeOverGrpc } from '../data/range-over-grpc.ts'
import { LEAST } from '../data/read-range.ts'
import type { EtcdConnection } from '../etcd-connection.ts'
import { protobufMessage } from '../protobuf.ts'
import { askOnce } from '../ask-once.ts'
import { prefixRange } from '../data/prefix-range.ts'

/** The fields of `DeleteRangeRequest`. */
const REQUEST = { key: 1, rangeEnd: 2 } as const

/** Others use the etcd too, and wait while keys are deleted. */
const BATCH = 1000

/** Deletes all keys below a prefix, some at a time. @throws {VplaneError} as `callEtcd` does. */
export async function deleteKeys(
  connection: EtcdConnection,
  prefix: string,
  signal: AbortSignal,
): Promise<void> {
  const { from, to } = prefixRange(prefix)
  for (;;) {
    const page = await rangeOverGrpc(connection, { from, to, limit: BATCH, keysOnly: true, signal })
    const last = page.pairs.at(-1)
    if (last === undefined) {
      return
    }
    const body = protobufMessage([
      [REQUEST.key, from],
      [REQUEST.rangeEnd, Buffer.concat([last.key, LEAST])],
    ])
    await askOnce(connection, { path: '/etcdserverpb.KV/DeleteRange', body, signal })
  }
}
