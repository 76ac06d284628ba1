import { rangeOverGrpc } from '../data/range-over-grpc.ts'
import type { EtcdConnection } from '../etcd-connection.ts'
import { prefixRange } from '../data/prefix-range.ts'

/** Whether a key below a prefix exists. @throws {VplaneError} as `callEtcd` does. */
export async function hasKeys(
  connection: EtcdConnection,
  { prefix, signal }: { prefix: string; signal: AbortSignal },
): Promise<boolean> {
  const range = { ...prefixRange(prefix), limit: 1, keysOnly: true }
  const { pairs } = await rangeOverGrpc(connection, { ...range, signal })
  return pairs.length > 0
}
