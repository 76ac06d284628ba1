import { existsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { hasErrorCode, reasonOf, VplaneError } from '../errors.ts'
import type { Hint } from '../hint.ts'
import { shellWord } from '../text/shell-word.ts'

interface FolderErrorOptions {
  /** What failed. @default write */
  task?: 'read' | 'write'
  /** How to use another folder. @default by VPLANE_HOME */
  hints?: readonly Hint[] | undefined
}

const OTHER_HOME = ['VPLANE_HOME=/path/to/folder moves all files of vplane']

/**
 * Converts why a path cannot be read or written. The error names the path, or the nearest folder above it that exists: its
 * permissions are the ones to change.
 */
export function toFolderError(
  error: unknown,
  path: string,
  { hints = OTHER_HOME, task = 'write' }: FolderErrorOptions = {},
): VplaneError {
  if (error instanceof VplaneError) {
    return error
  }
  const isMissing = hasErrorCode(error, 'ENOENT')
  const place = isMissing ? path : nearestExisting(path)
  const isThroughFile = hasErrorCode(error, 'EEXIST') || hasErrorCode(error, 'ENOTDIR')
  const reason = isThroughFile && statSync(place).isFile() ? 'it is not a folder' : reasonOf(error)
  const message =
    task === 'read' ? `cannot read "${place}": ${reason}` : `cannot write to "${place}": ${reason}`
  return new VplaneError('FAILED', message, {
    hints: hasErrorCode(error, 'ENOSPC')
      ? ['free some disk space and run the command again']
      : [`ls -ld ${shellWord(place)}`, ...hints],
    cause: error,
  })
}

/** The path, or the nearest folder above it that exists. */
export function nearestExisting(path: string): string {
  const parent = dirname(path)
  return existsSync(path) || parent === path ? path : nearestExisting(parent)
}
