import { existsSync, mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { hasErrorCode } from '../errors.ts'
import type { Hint } from '../hint.ts'
import { toFolderError } from './folder-error.ts'

/**
 * Creates a folder and its missing parents for their owner alone; an existing folder stays as it is.
 *
 * One folder at a time: recursive `mkdir` of Node.js 24 never returns where a file system reports ENOENT below an existing
 * parent, as /proc does, and hides why a read-only file system refuses.
 *
 * @param hints how to use another folder; by default, how to move all files of vplane
 * @throws {VplaneError} `FAILED` with the nearest folder that exists when it cannot be created.
 */
export function makeFolder(path: string, hints?: readonly Hint[]): void {
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    if (hasErrorCode(error, 'EEXIST') && statSync(path).isDirectory()) {
      return
    }
    const parent = dirname(path)
    if (!hasErrorCode(error, 'ENOENT')) {
      throw toFolderError(error, path, { hints })
    }
    if (existsSync(parent)) {
      throw toFolderError(new Error('it takes no new folders'), parent, { hints })
    }
    makeFolder(parent, hints)
    makeFolder(path, hints)
  }
}
