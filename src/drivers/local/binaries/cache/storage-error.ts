import { statfs } from 'node:fs/promises'
import { messageOf, VplaneError } from '../../../../shared/errors.ts'

const MIB = 1024 * 1024

/** @throws {VplaneError} `FAILED` when fewer bytes are free on the disk of `folder`. */
export async function requireFreeSpace(folder: string, bytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(folder)
  if (bavail * bsize < bytes) {
    throw diskFull(folder, `${toMib(bytes)} MiB are needed and ${toMib(bavail * bsize)} are free`)
  }
}

/** The error why `folder` cannot be written to; undefined when the error has another cause. */
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
        hints: [`ls -ld ${folder}`, 'VPLANE_HOME=/path/to/folder moves all files of vplane'],
        cause: error,
      })
    default:
      return undefined
  }
}

export function diskFull(folder: string, detail: string, cause?: unknown): VplaneError {
  return new VplaneError('FAILED', `the disk of "${folder}" is full: ${detail}`, {
    hints: [`df -h ${folder}`, { action: 'prune-binaries' }],
    cause,
  })
}

function toMib(bytes: number): number {
  return Math.ceil(bytes / MIB)
}
