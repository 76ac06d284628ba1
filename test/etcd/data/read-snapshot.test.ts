import { expect, test } from 'vitest'
import { readSnapshot } from '../../../src/etcd/data/read-snapshot.ts'
import { etcdSnapshot } from '../../support/data/etcd-snapshot.ts'
import { rejectionOf } from '../../support/thrown-by.ts'
import { grpcServer } from '../grpc-server.ts'

const SNAPSHOT = etcdSnapshot('pages', { pages: 40 })
const NEVER = new AbortController().signal

test('reads all bytes of a snapshot, with its size and a revision that it has reached', async () => {
  const { asked, connection } = await grpcServer({ messages: piecesOf(SNAPSHOT) })

  const data = await readSnapshot(connection, NEVER)
  const bytes = Buffer.concat(await Array.fromAsync(data.bytes))

  expect(data).toMatchObject({ revision: 42, sizeBytes: SNAPSHOT.length })
  expect(bytes.equals(SNAPSHOT)).toBe(true)
  expect(asked).toEqual(['/v3/maintenance/status', '/etcdserverpb.Maintenance/Snapshot'])
})

test.for([
  ['ends early', { isCut: false }],
  ['is cut off', { isCut: true }],
] as const)('notices a snapshot that %s', async ([, how]) => {
  const { connection } = await grpcServer({ messages: piecesOf(SNAPSHOT).slice(0, 2), ...how })

  const failure = await rejectionOf(
    readSnapshot(connection, NEVER).then(({ bytes }) => Array.fromAsync(bytes)),
  )

  expect(failure).toMatchObject({ code: 'FAILED' })
  expect(failure.message).toBe('etcd of "dev" sent an incomplete snapshot')
})

test('passes on what etcd says instead of a snapshot', async () => {
  const { connection } = await grpcServer({ status: 14, words: 'etcdserver: no leader' })

  const failure = await rejectionOf(readSnapshot(connection, NEVER))

  expect(failure.message).toContain('etcdserver: no leader')
})

/** As etcd sends it: what remains without the checksum, and the bytes. */
function piecesOf(snapshot: Buffer): Buffer[] {
  const database = snapshot.subarray(0, -32)
  const pieces = Array.from({ length: Math.ceil(database.length / 32_768) }, (_, index) =>
    database.subarray(index * 32_768, (index + 1) * 32_768),
  )
  let remaining = database.length
  const messages = pieces.map((piece) => {
    remaining -= piece.length
    const field = remaining > 0 ? Buffer.of(0x10, ...varint(remaining)) : Buffer.alloc(0)
    return Buffer.concat([field, blob(piece)])
  })
  return [...messages, blob(snapshot.subarray(-32))]
}

function blob(bytes: Buffer): Buffer {
  return Buffer.concat([Buffer.of(0x1a, ...varint(bytes.length)), bytes])
}

function varint(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...varint(value >> 7)]
}
