import { readFileSync, statSync } from 'node:fs'
import { hasErrorCode, reasonOf, VplaneError } from '../errors.ts'

/** Reads a small file; undefined when there is none. @throws {VplaneError} `FAILED` when it cannot be read. */
export function readTextFile(path: string): string | undefined {
  try {
    // Many are missing, and an error takes ten times as long as a look.
    if (statSync(path, { throwIfNoEntry: false }) === undefined) {
      return undefined
    }
    return readFileSync(path, 'utf8')
  } catch (cause) {
    if (hasErrorCode(cause, 'ENOENT') || hasErrorCode(cause, 'ENOTDIR')) {
      return undefined
    }
    throw new VplaneError('FAILED', `cannot read "${path}": ${reasonOf(cause)}`, { cause })
  }
}
