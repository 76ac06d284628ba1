import { messageOf, VplaneError } from '../../shared/errors.ts'
import { shellWord } from '../../shared/text/shell-word.ts'
import { OTHER_FILE_HINTS } from '../text/top-level.ts'
const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EISDIR: 'it is a folder',
  ELOOP: 'its symbolic links lead in a circle',
  ENOENT: 'a folder of its path does not exist',
  ENOSPC: 'the disk is full',
  ENOTDIR: 'its path leads through a file',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
}

/** Converts an error of the file system to one that explains its reason and what to do. */
export function toFileError(error: unknown, message: string): VplaneError {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return new VplaneError('FAILED', `${message}: ${REASONS[code] ?? messageOf(error)}`, {
    hints: OTHER_FILE_HINTS,
    cause: error,
  })
}

/** The error for a read-only file, which vplane does not replace. */
export function readOnlyError(path: string): VplaneError {
  return new VplaneError('FAILED', `cannot change "${path}": it is read-only`, {
    hints: [`chmod u+w ${shellWord(path)}`, ...OTHER_FILE_HINTS],
  })
}
