import { randomUUID } from 'node:crypto'
import { open, readdir, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { reasonOf, VplaneError } from '../../shared/errors.ts'
import { inChunks } from './in-chunks.ts'

/** The size of one write, each of which needs a round trip to another thread. */
const WRITE_BYTES = 1024 ** 2

/**
 * Writes a file for its owner alone, or replaces it once all bytes are on the disk; otherwise changes nothing.
 * @throws {VplaneError} `FAILED` when it cannot be written, and what the bytes throw.
 */
export async function writeStreamFile(path: string, bytes: AsyncIterable<Buffer>): Promise<void> {
  const folder = dirname(path)
  const draft = join(folder, `.${basename(path)}.${randomUUID().slice(0, 8)}.part`)
  await using stack = new AsyncDisposableStack()
  stack.defer(() => rm(draft, { force: true }))
  try {
    {
      await using file = await open(draft, 'wx', 0o600)
      for await (const { chunk } of inChunks(bytes, WRITE_BYTES)) {
        await file.writeFile(chunk)
      }
      await file.sync()
    }
    await rename(draft, path)
    await using parent = await open(folder)
    await parent.sync()
  } catch (error) {
    throw isOfFileSystem(error)
      ? new VplaneError('FAILED', `cannot write "${path}": ${reasonOf(error)}`, { cause: error })
      : error
  }
}

/** Removes from a folder the files that killed processes did not finish. Nobody else may write one there meanwhile. */
export async function removeUnfinishedFiles(folder: string): Promise<void> {
  const names = await readdir(folder)
  const drafts = names.filter((name) => /^\..+\.[0-9a-f]{8}\.part$/.test(name))
  await Promise.all(drafts.map((name) => rm(join(folder, name), { force: true })))
}

function isOfFileSystem(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error && 'path' in error
}
