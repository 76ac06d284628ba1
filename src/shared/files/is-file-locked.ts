import { DatabaseSync } from 'node:sqlite'

const BUSY = 5

/**
 * Whether another process holds a lock on a file that exists, also one in another container, or on another machine with
 * the same file system. It changes nothing. (Node.js has no file locks; SQLite respects those of other programs.)
 */
export function isFileLocked(path: string): boolean {
  try {
    using database = new DatabaseSync(path, { readOnly: true })
    database.exec('SELECT name FROM sqlite_schema')
    return false
  } catch (error) {
    // Almost every file is no database, which SQLite notices once it may read the file.
    return error instanceof Error && 'errcode' in error && error.errcode === BUSY
  }
}
