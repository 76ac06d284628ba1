import { writeFile } from 'node:fs/promises'
import type { KineRow } from '../database/dialect/kine-row.ts'
import { hasErrorCode, messageOf, VplaneError } from '../shared/errors.ts'

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

const ROW = `INSERT INTO kine(id, name, created, deleted, create_revision, prev_revision, lease, value)
  VALUES (?, ?, 1, 0, 0, ?, ?, ?)`

/**
 * Writes a file of kine, which must not exist.
 * @throws {VplaneError} `FAILED` when it cannot be written, such as to a full disk, and what the rows throw.
 */
export async function writeSqlite(file: string, rows: AsyncIterable<KineRow>): Promise<void> {
  try {
    await writeRows(file, rows)
  } catch (error) {
    throw hasErrorCode(error, 'ERR_SQLITE_ERROR')
      ? new VplaneError('FAILED', `cannot write "${file}": ${messageOf(error)}`, { cause: error })
      : error
  }
}

async function writeRows(file: string, rows: AsyncIterable<KineRow>): Promise<void> {
  const { DatabaseSync } = await import('node:sqlite')
  // sqlite creates a file for everyone to read.
  await writeFile(file, '', { flag: 'wx', mode: 0o600 })
  using database = new DatabaseSync(file)
  database.exec('PRAGMA synchronous = FULL')
  database.exec('BEGIN')
  database.exec(TABLE)
  const insert = database.prepare(ROW)
  for await (const { id, lease, name, prevRevision, value } of rows) {
    insert.run(id, name, prevRevision, lease, value)
  }
  database.exec('COMMIT')
}
