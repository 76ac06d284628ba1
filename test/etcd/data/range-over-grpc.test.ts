import { expect, test } from 'vitest'
import { rangeOverGrpc } from '../../../src/etcd/data/range-over-grpc.ts'
import { readRange } from '../../../src/etcd/data/read-range.ts'
import { protobufMessage } from '../../../src/etcd/protobuf.ts'
import { rejectionOf } from '../../support/thrown-by.ts'
import { grpcServer } from '../grpc-server.ts'

const { signal } = new AbortController()
const FROM = Buffer.from('/a/')

const PAIRS = [
  { key: '/a/1', value: 'one', lease: 0 },
  { key: '/a/2', value: '', lease: 7 },
]

test('reads the pairs of an answer, and at which revision they are', async () => {
  const { asked, connection } = await grpcServer({ messages: [answerWith({ more: 1 })] })

  const page = await rangeOverGrpc(connection, { from: FROM, limit: 2, signal })

  expect(asked).toEqual(['/etcdserverpb.KV/Range'])
  expect(page).toEqual({
    revision: 300,
    hasMore: true,
    pairs: [
      { key: Buffer.from('/a/1'), value: Buffer.from('one'), hasLease: false },
      { key: Buffer.from('/a/2'), value: Buffer.alloc(0), hasLease: true, lease: 7n },
    ],
  })
})

test('reads a range this way where there is no gateway', async () => {
  const { asked, connection } = await grpcServer({ messages: [answerWith({ more: 0 })] })
  const range = { from: FROM, to: Buffer.from('/a0'), limit: 2, isAtOneRevision: true, signal }

  const pairs = await Array.fromAsync(readRange({ ...connection, hasGateway: false }, range))

  expect(pairs.map(({ key }) => String(key))).toEqual(['/a/1', '/a/2'])
  expect(asked).toEqual(['/etcdserverpb.KV/Range'])
})

test.for([[[]], [[Buffer.from('0b', 'hex')]]])('takes no invalid answer', async ([messages]) => {
  const { connection } = await grpcServer({ messages: messages ?? [] })

  const error = await rejectionOf(rangeOverGrpc(connection, { from: FROM, limit: 1, signal }))

  expect(error).toMatchObject({ code: 'FAILED' })
  expect(error.message).toContain('returned an invalid answer')
})

function answerWith({ more }: { more: number }): Buffer {
  const kvs = PAIRS.map(({ key, lease, value }) =>
    protobufMessage([
      [1, Buffer.from(key)],
      [5, Buffer.from(value)],
      [6, lease],
    ]),
  )
  return protobufMessage([
    [1, protobufMessage([[3, 300]])],
    ...kvs.map((pair) => [2, pair] as const),
    [3, more],
  ])
}
