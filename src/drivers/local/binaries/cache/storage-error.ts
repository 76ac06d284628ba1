import { reasonOf, VplaneError } from '../../../../shared/errors.ts'
import { toFolderError } from '../../../../shared/files/folder-error.ts'
import { freeSpace } from '../../../../shared/files/free-space.ts'

const MIB = 1024 * 1024

/** @throws {VplaneError} `FAILED` when fewer bytes are free on the disk of `folder`. */
export async function requireFreeSpace(folder: string, bytes: number): Promise<void> {
  const free = await freeSpace(folder)
  if (free < bytes) {
    throw diskFull(folder, `${toMib(bytes)} MiB are needed and ${toMib(free)} are free`)
  }
}

/** The error why `folder` cannot be written to; undefined when the error has another cause. */
export function toStorageError(error: unknown, folder: string): VplaneError | undefined {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  switch (code) {
    case 'ENOSPC':
    case 'EDQUOT':
      return diskFull(folder, reasonOf(error), error)
    case 'EACCES':
    case 'ENOENT':
    case 'EPERM':
    case 'EROFS':
    case 'ENOTDIR':
      return toFolderError(error, folder)
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
