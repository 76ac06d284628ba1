import { statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { kineRows } from '../../src/data/kine-rows.ts'
import { writeSqlite } from '../../src/data/write-sqlite.ts'
import { inOrder, logicalKeysOf } from '../support/data/logical-keys.ts'
import { temporaryFolder } from '../support/machine/temporary-folder.ts'
import { rejectionOf } from '../support/thrown-by.ts'

const KEYS = logicalKeysOf([
  ['/registry/a', 'one'],
  ['/registry/ä', ''],
  ['/registry/events/c', 'two', 60],
])

test('writes keys after a revision that counts as compacted, for this user alone', async () => {
  await using folder = await temporaryFolder()
  const file = join(folder.path, 'state.db')

  await writeSqlite(file, kineRows(inOrder(KEYS), { revision: 1_000_000_042, title: 'sqlite' }))

  using database = new DatabaseSync(file)
  const rows = database.prepare('SELECT id, name, prev_revision, lease, value FROM kine').all()
  const [sequence] = database.prepare('SELECT seq FROM sqlite_sequence').all()
  expect(rows.map((row) => Object.values(row).map(shown))).toEqual([
    [1_000_000_042, 'compact_rev_key', 1_000_000_042, 0, ''],
    [1_000_000_043, '/registry/a', 0, 0, 'one'],
    [1_000_000_044, '/registry/ä', 0, 0, ''],
    [1_000_000_045, '/registry/events/c', 0, 60, 'two'],
  ])
  expect(sequence).toEqual({ seq: 1_000_000_045 })
  expect(statSync(file).mode & 0o777).toBe(0o600)
})

test('refuses a key that is no text, which sqlite would change', async () => {
  await using folder = await temporaryFolder()
  const keys = inOrder([{ key: Buffer.of(0xff, 0x41), value: Buffer.alloc(0) }])
  const rows = kineRows(keys, { revision: 1, title: 'sqlite' })

  const written = writeSqlite(join(folder.path, 'state.db'), rows)

  expect(await rejectionOf(written)).toMatchObject({
    code: 'FAILED',
    message: expect.stringContaining('sqlite cannot store the key'),
  })
})

test('says that the file cannot be written when sqlite refuses a row', async () => {
  await using folder = await temporaryFolder()
  const file = join(folder.path, 'state.db')
  const row = { id: 1, name: 'a', prevRevision: 0, lease: 0, value: Buffer.alloc(0) }

  const error = await rejectionOf(writeSqlite(file, inOrder([row, row])))

  expect(error).toMatchObject({ code: 'FAILED' })
  expect(error.message).toContain(`cannot write "${file}": UNIQUE constraint failed`)
})

function shown(value: unknown): unknown {
  return value instanceof Uint8Array ? Buffer.from(value).toString() : value
}
