import { chmod, open, rename } from 'node:fs/promises'
import { dirname } from 'node:path'
import { type BinaryRecord, writeRecord } from './binary-record.ts'
import { toStorageError } from './storage-error.ts'

/**
 * Moves a finished file of the same folder to its place, so that nobody ever sees a part of it, not even after a power
 * cut. The record goes first: a binary that is there has one.
 *
 * @throws {VplaneError} `FAILED` when the disk is full or read-only.
 */
export async function installBinary(
  file: string,
  path: string,
  record: BinaryRecord,
): Promise<void> {
  const folder = dirname(path)
  try {
    await chmod(file, 0o755)
    await flush(file)
    await writeRecord(path, record)
    await rename(file, path)
    await flush(folder)
  } catch (error) {
    throw toStorageError(error, folder) ?? error
  }
}

async function flush(path: string): Promise<void> {
  await using handle = await open(path)
  await handle.sync()
}
