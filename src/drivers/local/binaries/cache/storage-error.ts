import { statfs } from 'node:fs/promises'
import { messageOf, VplaneError } from '../../../../shared/errors.ts'

const MIB = 1024 * 1024

/**
 * Makes sure that as many bytes are free where `folder` is.
 *
 * @throws {VplaneError} `FAILED` when there are fewer.
 */
export async function requireFreeSpace(folder: string, bytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(folder)
  if (bavail * bsize < bytes) {
    throw diskFull(folder, `${toMib(bytes)} MiB are needed and ${toMib(bavail * bsize)} are free`)
  }
}

/** The error that says why nothing can be written to `folder`; undefined when the error is about something else. */
export function toStorageError(error: unknown, folder: string): VplaneError | undefined {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  switch (code) {
    case 'ENOSPC':
    case 'EDQUOT':
      return diskFull(folder, messageOf(error), error)
    case 'EACCES':
    case 'ENOENT':
    case 'EPERM':
    case 'EROFS':
    case 'ENOTDIR':
      return new VplaneError('FAILED', `cannot write to "${folder}": ${messageOf(error)}`, {
        hints: [`ls -ld ${folder}`, 'VPLANE_HOME=/a/folder/of/yours puts all of vplane elsewhere'],
        cause: error,
      })
    default:
      return undefined
  }
}

/** Says that the disk below `folder` is full. */
export function diskFull(folder: string, detail: string, cause?: unknown): VplaneError {
  return new VplaneError('FAILED', `the disk of "${folder}" is full: ${detail}`, {
    hints: [`df -h ${folder}`, { action: 'prune-binaries' }],
    cause,
  })
}

function toMib(bytes: number): number {
  return Math.ceil(bytes / MIB)
}
