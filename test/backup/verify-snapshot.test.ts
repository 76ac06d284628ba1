import { expect, test } from 'vitest'
import { verifiedSnapshot } from '../../src/backup/verify-snapshot.ts'
import { etcdSnapshot } from '../support/data/etcd-snapshot.ts'
import { inPieces } from '../support/data/in-pieces.ts'
import { rejectionOf } from '../support/thrown-by.ts'

const SNAPSHOT = etcdSnapshot('pages', { pages: 3 })

const SIZES = [1, 31, 32, 33, 4096, SNAPSHOT.length]

test.for(SIZES)('passes a snapshot on that comes in pieces of %d bytes', async (size) => {
  const passed = await Array.fromAsync(verifiedSnapshot(inPieces(SNAPSHOT, size), 'dev.db'))

  expect(Buffer.concat(passed).equals(SNAPSHOT)).toBe(true)
})

test.for([
  ['one bit is another', flipped(SNAPSHOT, 5000), 'is damaged'],
  ['the checksum is another', flipped(SNAPSHOT, SNAPSHOT.length - 1), 'is damaged'],
  ['the end is missing', SNAPSHOT.subarray(0, -1), 'is not a complete snapshot'],
  ['it is the file of a database', SNAPSHOT.subarray(0, -32), 'is not a complete snapshot'],
  ['it is empty', Buffer.alloc(0), 'is not a complete snapshot'],
] as const)('notices when %s', async ([, bytes, why]) => {
  const passed = verifiedSnapshot(inPieces(bytes, 1000), 'dev.db')

  const message = expect.stringContaining(`dev.db ${why}`)
  expect(await rejectionOf(Array.fromAsync(passed))).toMatchObject({ code: 'FAILED', message })
})

function flipped(bytes: Buffer, at: number): Buffer {
  const copy = Buffer.from(bytes)
  copy[at] = (copy[at] ?? 0) ^ 1
  return copy
}
