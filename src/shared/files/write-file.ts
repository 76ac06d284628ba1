import { isSystemError } from '../errors.ts'

/**
 * Replaces a file in one step, with these permissions: readers read the old or the new text. Symbolic links stay. System
 * errors name the file, not the temporary one that becomes it.
 */
export async function writeFile(
  path: string,
  data: string | Buffer,
  { mode = 0o600 }: { mode?: number } = {},
): Promise<void> {
  // Loaded on use: it loads threads, and most short commands write nothing.
  const { default: writeFileAtomic } = await import('write-file-atomic')
  try {
    await writeFileAtomic(path, data, { mode })
  } catch (error) {
    throw isSystemError(error) ? Object.assign(error, { path }) : error
  }
}
