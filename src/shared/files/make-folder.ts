import { existsSync, mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { hasErrorCode } from '../errors.ts'

/**
 * Makes a folder, and missing folders above it, for its owner alone. An existing folder stays as it is.
 *
 * One folder at a time: Node.js 24 never returns from `mkdir` with `recursive` where a file system answers ENOENT for an
 * existing parent, as /proc does, and hides why a read-only one refuses.
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
