import { askOnce } from '../ask-once.ts'
import type { EtcdConnection } from '../etcd-connection.ts'
import { exactNumber, protobufMessage } from '../protobuf.ts'

const PATH = '/etcdserverpb.Lease/LeaseTimeToLive'

/** The fields of `LeaseTimeToLiveRequest` and `LeaseTimeToLiveResponse`. */
const ID = 1
const TTL = 3

/** What expires in less is stored with this life, as a life of zero seconds means forever. */
const LEAST_SECONDS = 1

/** etcd reports an expired lease as -1. */
const MOST_SECONDS = 2 ** 31

/**
 * Returns a function for the rest of a lease's life, in seconds. kine does not know that: it has the life that was
 * asked for instead of a lease (pkg/server/lease.go), and counts it again from each of its starts.
 */
export function leaseLife(
  connection: EtcdConnection,
  signal: AbortSignal,
): (lease: bigint) => Promise<number> {
  const known = new Map<bigint, Promise<number>>()
  if (connection.hasLeases === false) {
    return (lease) => Promise.resolve(bounded(lease))
  }
  return (lease) => {
    const life = known.get(lease) ?? askFor(connection, lease, signal)
    known.set(lease, life)
    return life
  }
}

async function askFor(
  connection: EtcdConnection,
  lease: bigint,
  signal: AbortSignal,
): Promise<number> {
  const body = protobufMessage([[ID, lease]])
  const { varints } = await askOnce(connection, { path: PATH, body, signal })
  return bounded(exactNumber(varints.get(TTL) ?? Buffer.alloc(0)))
}

function bounded(seconds: bigint): number {
  return seconds > MOST_SECONDS ? LEAST_SECONDS : Math.max(LEAST_SECONDS, Number(seconds))
}
