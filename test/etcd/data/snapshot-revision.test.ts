import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { revisionAbove } from '../../../src/control-plane/components/arguments/restore-arguments.ts'
import { snapshotRevision } from '../../../src/etcd/data/snapshot-revision.ts'
import { temporaryFolder } from '../../support/machine/temporary-folder.ts'
import { rejectionOf } from '../../support/thrown-by.ts'

const PAGE_BYTES = 4096
const LEAF = 2

test.for([
  ['nothing', Buffer.alloc(0)],
  ['zeros', Buffer.alloc(65_536)],
  ['text', Buffer.from('a snapshot\n'.repeat(1000))],
  ['a page that is its own child', circular()],
] as const)('knows no revision of %s', async ([, bytes]) => {
  await using folder = await temporaryFolder()
  const path = join(folder.path, 'snapshot.db')
  writeFileSync(path, bytes)

  expect(await snapshotRevision(path)).toBe(0)
})

test.for([2n ** 52n + 1n, 2n ** 64n - 1n])('refuses the revision %d', async (revision) => {
  await using folder = await temporaryFolder()
  const path = join(folder.path, 'snapshot.db')
  writeFileSync(path, databaseAt(revision))

  const error = await rejectionOf(snapshotRevision(path))

  expect(error).toMatchObject({ code: 'FAILED' })
  expect(error.message).toContain('the snapshot is damaged: no plane reaches its revision')
})

test('a hundred restores, each from a snapshot of the one before, keep revisions exact', () => {
  let revision = 0
  for (let restore = 0; restore < 100; restore += 1) {
    // As drivers do: the new data has the revisions in the snapshot, raised to the floor.
    const floor = revisionAbove(revision, revision)
    revision = revision + (floor - revision) + 1000
  }

  expect(revision).toBeLessThan(Number.MAX_SAFE_INTEGER / 10_000)
})

/** A database with its root in page 2, which is empty. */
function emptyDatabase(): Buffer {
  const bytes = Buffer.alloc(4 * PAGE_BYTES)
  bytes.writeUInt32LE(0xed_0c_da_ed, 16)
  bytes.writeUInt32LE(PAGE_BYTES, 24)
  bytes.writeBigUInt64LE(2n, 32)
  return bytes
}

/** A database whose only revision is this one. */
function databaseAt(revision: bigint): Buffer {
  const bytes = emptyDatabase()
  const putLeaf = (page: number, key: Buffer, value: number) => {
    const at = page * PAGE_BYTES
    bytes.writeUInt16LE(LEAF, at + 8)
    bytes.writeUInt16LE(1, at + 10)
    bytes.writeUInt32LE(16, at + 20)
    bytes.writeUInt32LE(key.length, at + 24)
    key.copy(bytes, at + 32)
    bytes.writeBigUInt64LE(BigInt(value), at + 32 + key.length)
  }
  const key = Buffer.alloc(8)
  key.writeBigUInt64BE(revision)
  putLeaf(2, Buffer.from('key'), 3)
  putLeaf(3, key, 0)
  return bytes
}

/** A database whose root page is a branch with itself as its only child. */
function circular(): Buffer {
  const bytes = emptyDatabase()
  const page = 2 * PAGE_BYTES
  bytes.writeUInt16LE(1, page + 8)
  bytes.writeUInt16LE(1, page + 10)
  bytes.writeBigUInt64LE(2n, page + 24)
  return bytes
}
