import { messageOf, VplaneError } from '../../shared/errors.ts'
import type { Hint } from '../../shared/hint.ts'
import { shellWord } from '../../shared/text/shell-word.ts'

/** What a system error means to whoever wanted a kubeconfig changed. */
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

/** Turns an error of the file system into one that says which file and what to do. */
export function toFileError(error: unknown, message: string): VplaneError {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return new VplaneError('FAILED', `${message}: ${REASONS[code] ?? messageOf(error)}`, {
    hints: HINTS,
    cause: error,
  })
}

/** For a file that its owner does not want to be changed. */
export function readOnlyError(path: string): VplaneError {
  return new VplaneError('FAILED', `cannot change "${path}": it is read-only`, {
    hints: [`chmod u+w ${shellWord(path)}`, ...HINTS],
  })
}

const HINTS: readonly Hint[] = [
  'use another file: export KUBECONFIG=FILE',
  { purpose: 'for a kubeconfig of its own', action: 'print-kubeconfig', plane: { name: 'NAME' } },
]
