import { hasErrorCode, reasonOf, VplaneError } from '../../shared/errors.ts'
import { shellWord } from '../../shared/text/shell-word.ts'
import { OTHER_FILE_HINTS } from '../text/top-level.ts'

/** Converts an error of the file system to one that explains its reason and what to do. */
export function toFileError(error: unknown, message: string): VplaneError {
  const reason = hasErrorCode(error, 'ENOENT')
    ? 'a folder of its path does not exist'
    : reasonOf(error)
  return new VplaneError('FAILED', `${message}: ${reason}`, {
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
