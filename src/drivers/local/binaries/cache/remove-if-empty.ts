import { rmdir } from 'node:fs/promises'
import { hasErrorCode } from '../../../../shared/errors.ts'

/** Removes a folder if it is empty. */
export async function removeIfEmpty(folder: string): Promise<void> {
  try {
    await rmdir(folder)
  } catch (error) {
    if (!['ENOTEMPTY', 'EEXIST', 'ENOENT'].some((code) => hasErrorCode(error, code))) {
      throw error
    }
  }
}
