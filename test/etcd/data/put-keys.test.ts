import { expect, test } from 'vitest'
import { putKeys } from '../../../src/etcd/data/put-keys.ts'
import { protobufFields, protobufMessage } from '../../../src/etcd/protobuf.ts'
import { inOrder } from '../../support/data/logical-keys.ts'
import { rejectionOf } from '../../support/thrown-by.ts'
import { grpcServer } from '../grpc-server.ts'

const { signal } = new AbortController()

interface Put {
  key: string
  bytes: number
  lease: number
}

test('stores keys in their order, in requests that etcd accepts', async () => {
  const small = Array.from({ length: 250 }, (_, index) => keyOf(`/s/${1000 + index}`, 10))
  const large = [keyOf('/t/1', 400_000), keyOf('/t/2', 400_000), keyOf('/t/3', 1_200_000)]
  const etcd = await fakeEtcd()

  await putKeys(etcd.connection, inOrder([...small, ...large]), signal)

  const all = etcd.requests.flat()
  expect(all.map(({ key }) => key)).toEqual([...small, ...large].map(({ key }) => String(key)))
  for (const puts of etcd.requests) {
    const bytes = puts.reduce((sum, put) => sum + put.bytes, 0)
    expect(puts.length === 1 || (puts.length <= 128 && bytes < 1024 ** 2)).toBe(true)
  }
})

test('gives keys that expire a lease with the rest of their life', async () => {
  const keys = [
    keyOf('/a', 1),
    { ...keyOf('/b', 1), ttlSeconds: 3600 },
    { ...keyOf('/c', 1), ttlSeconds: 1 },
    { ...keyOf('/d', 1), ttlSeconds: 3600 },
  ]
  const etcd = await fakeEtcd()

  await putKeys(etcd.connection, inOrder(keys), signal)

  // One that ends at once would end before its key is stored.
  expect([...etcd.lives.values()]).toEqual([3600, 10])
  const [none, hour, soon, other] = etcd.requests.flat().map(({ lease }) => lease)
  expect(none).toBe(0)
  expect(etcd.lives.get(hour ?? 0)).toBe(3600)
  expect(etcd.lives.get(soon ?? 0)).toBe(10)
  expect(other).toBe(hour)
})

test('sends nothing without keys, and fails when etcd refuses', async () => {
  const etcd = await fakeEtcd()
  await putKeys(etcd.connection, inOrder([]), signal)
  const full = await grpcServer({ status: 8, words: 'etcdserver: mvcc: database space exceeded' })

  const error = await rejectionOf(putKeys(full.connection, inOrder([keyOf('/a', 1)]), signal))

  expect(etcd.requests).toEqual([])
  expect(error).toMatchObject({ code: 'FAILED' })
  expect(error.message).toContain('database space exceeded')
})

function keyOf(key: string, bytes: number) {
  return { key: Buffer.from(key), value: Buffer.alloc(bytes, 'x') }
}

/** Records the puts of each transaction, and the life of each lease. */
async function fakeEtcd() {
  const requests: Put[][] = []
  const lives = new Map<number, number>()
  const { connection } = await grpcServer((path, body) => {
    const { lists, numbers } = protobufFields(body) ?? { lists: new Map(), numbers: new Map() }
    if (path === '/etcdserverpb.Lease/LeaseGrant') {
      const id = 1000 + lives.size
      lives.set(id, numbers.get(1) ?? 0)
      return { messages: [protobufMessage([[2, id]])] }
    }
    const operations: Buffer[] = lists.get(2) ?? []
    requests.push(operations.map(putIn))
    return { messages: [Buffer.alloc(0)] }
  })
  return { connection, requests, lives }
}

function putIn(operation: Buffer): Put {
  const put = protobufFields(protobufFields(operation)?.bytes.get(2) ?? Buffer.alloc(0))
  return {
    key: String(put?.bytes.get(1)),
    bytes: put?.bytes.get(2)?.length ?? 0,
    lease: put?.numbers.get(3) ?? 0,
  }
}
