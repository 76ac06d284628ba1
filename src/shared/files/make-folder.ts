import { existsSync, mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { hasErrorCode } from '../errors.ts'

/**
 * Creates a folder and its missing parents for their owner alone; an existing folder stays as it is.
 *
 * One folder at a time: recursive `mkdir` of Node.js 24 never returns where a file system reports ENOENT below an existing
 * parent, as /proc does, and hides why a read-only file system refuses.
 */
export function makeFolder(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    if (hasErrorCode(error, 'EEXIST') && statSync(path).isDirectory()) {
      return
    }
    const parent = dirname(path)
    if (!hasErrorCode(error, 'ENOENT') || existsSync(parent)) {
      throw error
    }
    makeFolder(parent)
    makeFolder(path)
  }
}
