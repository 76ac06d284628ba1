import { rmdir } from 'node:fs/promises'
import { unlessErrorCode } from '../../../../shared/errors.ts'

/** Removes a folder if it is empty. */
export async function removeIfEmpty(folder: string): Promise<void> {
  await unlessErrorCode(['ENOTEMPTY', 'EEXIST', 'ENOENT'], rmdir(folder))
}
