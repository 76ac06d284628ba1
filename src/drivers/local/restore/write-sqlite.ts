import { writeFile } from 'node:fs/promises'
import type { LogicalKey } from '../../../backup/logical/logical-format.ts'
import { VplaneError } from '../../../shared/errors.ts'

/** The table of kine 0.16 (pkg/drivers/sqlite/sqlite.go); kine adds its indexes when it starts. */
const TABLE = `CREATE TABLE kine (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT,
  created INTEGER,
  deleted INTEGER,
  create_revision INTEGER,
  prev_revision INTEGER,
  lease INTEGER,
  value BLOB,
  old_value BLOB
)`

/** `created` without earlier revisions: kine reads the id of such a row as its create revision. */
const ROW = `INSERT INTO kine(id, name, created, deleted, create_revision, prev_revision, lease, value)
  VALUES (?, ?, 1, 0, 0, ?, ?, ?)`

/** kine has the latest compacted revision in the column `prev_revision` of this row. */
const COMPACTED = 'compact_rev_key'

export interface SqliteData {
  /** Must not exist. */
  file: string
  keys: AsyncIterable<LogicalKey>
  /** Counts as compacted, with all before it; the keys follow it. */
  revision: number
}

/**
 * Writes a file of kine with keys whose revisions begin after a revision. A key that expires has the rest of its life.
 * @throws {VplaneError} `FAILED` for a key that is no text, and what the keys throw.
 */
export async function writeSqlite({ file, keys, revision }: SqliteData): Promise<void> {
  const { DatabaseSync } = await import('node:sqlite')
  // sqlite creates a file for everyone to read.
  await writeFile(file, '', { flag: 'wx', mode: 0o600 })
  using database = new DatabaseSync(file)
  database.exec('PRAGMA synchronous = FULL')
  database.exec('BEGIN')
  database.exec(TABLE)
  const insert = database.prepare(ROW)
  insert.run(revision, COMPACTED, revision, 0, Buffer.alloc(0))
  let id = revision
  for await (const { key, ttlSeconds = 0, value } of keys) {
    id += 1
    insert.run(id, textOf(key), 0, ttlSeconds, value)
  }
  database.exec('COMMIT')
}

function textOf(key: Buffer): string {
  const text = key.toString('utf8')
  if (!Buffer.from(text).equals(key)) {
    throw new VplaneError('FAILED', `sqlite cannot store the key "${text}": it is no text`)
  }
  return text
}
