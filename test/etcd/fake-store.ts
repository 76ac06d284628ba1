import { type ProtobufFields, protobufFields, protobufMessage } from '../../src/etcd/protobuf.ts'
import { exactNumber } from '../../src/etcd/protobuf.ts'
import { type GrpcAnswer, grpcServer } from './grpc-server.ts'

interface FakeStoreOptions {
  keys: readonly string[]
  /** The leases of keys. @default none */
  leases?: Record<string, bigint>
  /** The rest of the life of every lease, as 64 bits. @default 60 */
  life?: number | bigint
  /** The size of a value. @default a few words */
  valueBytes?: (key: string) => number
  /** How often it compacts a revision before the second page of it is read. @default never */
  compactions?: number
  isKine?: boolean
  /** The revision that it compares with when it finds nothing, as kine does. @default the current one */
  remembered?: number
  /** What kine has in MySQL instead of a zero byte at the end of the first key of a page. @default a zero byte */
  substitute?: string
}

const COMPACTED = 'etcdserver: mvcc: required revision has been compacted'
const FUTURE = 'etcdserver: mvcc: required revision is a future revision'

/** A store with keys that answers over gRPC, at the revision 100 or later, and records what it was asked. */
export async function fakeStore({
  compactions = 0,
  isKine = false,
  keys,
  leases = {},
  remembered,
  life = 60,
  substitute = '\0',
  valueBytes,
}: FakeStoreOptions) {
  const sorted = keys.map((key) => Buffer.from(key)).toSorted((one, other) => one.compare(other))
  const asked = {
    pages: 0,
    revisions: [] as number[],
    limits: [] as number[],
    leases: [] as bigint[],
  }
  let revision = 100
  const valueOf = (key: string) =>
    valueBytes === undefined ? Buffer.from(`value of ${key}`) : Buffer.alloc(valueBytes(key))
  const range = ({ bytes, numbers }: ProtobufFields): GrpcAnswer => {
    const [first = Buffer.alloc(0), to = Buffer.alloc(0)] = [bytes.get(1), bytes.get(2)]
    const from = first.at(-1) === 0 ? Buffer.from(String(first).replace(/\0$/, substitute)) : first
    const [limit = 0, at = revision] = [numbers.get(3), numbers.get(4)]
    asked.pages += 1
    asked.revisions.push(at)
    asked.limits.push(limit)
    const isFirst = from.length === 1
    if (at < revision || (!isFirst && revision < 100 + compactions)) {
      revision += 1
      return { status: 11, words: encodeURIComponent(COMPACTED) }
    }
    const found = sorted.filter((key) => key.compare(from) >= 0 && key.compare(to) < 0)
    if (found.length === 0 && at > (remembered ?? revision)) {
      return { status: 11, words: encodeURIComponent(FUTURE) }
    }
    const pairs = found.slice(0, limit).map((key) =>
      protobufMessage([
        [1, key],
        [5, valueOf(key.toString())],
        [6, leases[key.toString()] ?? 0],
      ]),
    )
    const message = protobufMessage([
      // kine reports a later revision than that of the keys.
      [1, protobufMessage([[3, numbers.has(4) ? revision + 7 : revision]])],
      ...pairs.map((pair) => [2, pair] as const),
      [3, found.length > limit ? 1 : 0],
    ])
    return { messages: [message] }
  }
  const { connection } = await grpcServer((path, body) => {
    const fields = protobufFields(body)
    if (fields === undefined) {
      return { status: 3, words: 'not a message' }
    }
    if (path !== '/etcdserverpb.Lease/LeaseTimeToLive') {
      return range(fields)
    }
    asked.leases.push(exactNumber(fields.varints.get(1) ?? Buffer.alloc(0)))
    return { messages: [protobufMessage([[3, life]])] }
  })
  return Object.assign(asked, {
    connection: isKine ? { ...connection, hasGateway: false, hasLeases: false } : connection,
  })
}
