import { askOnce } from '../ask-once.ts'
import type { EtcdConnection } from '../etcd-connection.ts'
import { exactNumber, protobufMessage } from '../protobuf.ts'

const TXN = '/etcdserverpb.KV/Txn'
const GRANT = '/etcdserverpb.Lease/LeaseGrant'

/** The fields of `TxnRequest`, `RequestOp`, `PutRequest`, `LeaseGrantRequest` and `LeaseGrantResponse`. */
const SUCCESS = 2
const PUT = 2
const PAIR = { key: 1, value: 2, lease: 3 } as const
const LEASE = { ttl: 1, id: 2 } as const

/** Less than etcd accepts in one request by default: 128 operations and 1.5 MiB. */
const BATCH = { keys: 100, bytes: 512 * 1024 } as const

/** A lease must not expire before its keys are stored. */
const LEAST_SECONDS = 10

interface PutKey {
  key: Buffer
  value: Buffer
  /** @default it does not expire */
  ttlSeconds?: number
}

/** Stores keys in an etcd, in their order. @throws {VplaneError} as `callEtcd` does. */
export async function putKeys(
  connection: EtcdConnection,
  keys: AsyncIterable<PutKey>,
  signal: AbortSignal,
): Promise<void> {
  let batch: PutKey[] = []
  let bytes = 0
  const grant = async (ttlSeconds: number) => {
    const body = protobufMessage([[LEASE.ttl, Math.max(LEAST_SECONDS, ttlSeconds)]])
    // etcd chooses the id: it may have leases of others.
    const { varints } = await askOnce(connection, { path: GRANT, body, signal })
    return exactNumber(varints.get(LEASE.id) ?? Buffer.alloc(0))
  }
  const store = async () => {
    const body = await txnOf(batch, grant)
    await askOnce(connection, { path: TXN, body, signal })
    batch = []
    bytes = 0
  }
  for await (const key of keys) {
    const added = key.key.length + key.value.length
    if (batch.length === BATCH.keys || (batch.length > 0 && bytes + added > BATCH.bytes)) {
      await store()
    }
    batch.push(key)
    bytes += added
  }
  if (batch.length > 0) {
    await store()
  }
}

/** Keys with the same life share a lease. */
async function txnOf(
  batch: readonly PutKey[],
  grant: (ttlSeconds: number) => Promise<bigint>,
): Promise<Buffer> {
  const leases = new Map([[0, 0n]])
  for (const { ttlSeconds = 0 } of batch) {
    if (!leases.has(ttlSeconds)) {
      leases.set(ttlSeconds, await grant(ttlSeconds))
    }
  }
  const puts = batch.map(({ key, ttlSeconds = 0, value }) =>
    protobufMessage([
      [PAIR.key, key],
      [PAIR.value, value],
      [PAIR.lease, leases.get(ttlSeconds) ?? 0n],
    ]),
  )
  return protobufMessage(puts.map((put) => [SUCCESS, protobufMessage([[PUT, put]])] as const))
}
