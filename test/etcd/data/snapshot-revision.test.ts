import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { revisionAbove } from '../../../src/control-plane/components/arguments/restore-arguments.ts'
import { snapshotRevision } from '../../../src/etcd/data/snapshot-revision.ts'
import { temporaryFolder } from '../../support/machine/temporary-folder.ts'

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

test('a hundred restores, each from a snapshot of the one before, keep revisions exact', () => {
  let revision = 0
  for (let restore = 0; restore < 100; restore += 1) {
    // As drivers do: the new data has the revisions in the snapshot, raised to the floor.
    const floor = revisionAbove(revision, revision)
    revision = revision + (floor - revision) + 1000
  }

  expect(revision).toBeLessThan(Number.MAX_SAFE_INTEGER / 10_000)
})

/** A database whose root page is a branch with itself as its only child. */
function circular(): Buffer {
  const [pageBytes, magic] = [4096, 0xed_0c_da_ed]
  const bytes = Buffer.alloc(4 * pageBytes)
  bytes.writeUInt32LE(magic, 16)
  bytes.writeUInt32LE(pageBytes, 24)
  bytes.writeBigUInt64LE(2n, 32)
  const page = 2 * pageBytes
  bytes.writeUInt16LE(1, page + 8)
  bytes.writeUInt16LE(1, page + 10)
  bytes.writeBigUInt64LE(2n, page + 24)
  return bytes
}
