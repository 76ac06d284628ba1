import { type FileHandle, open, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { hasErrorCode, VplaneError } from '../../../shared/errors.ts'
import { isFileLocked } from '../../../shared/files/is-file-locked.ts'

const CHUNK_BYTES = 1024 * 1024

/** Files with less space to free stay as they are. */
const MIN_FREED_BYTES = 256 * 1024

/** The unit of `blocks` in every `stat`. */
const BLOCK_BYTES = 512

/** A copy has this after the name of its file, until it replaces the file. */
const TEMPORARY = '.tmp'

/**
 * Frees the space that a stopped etcd keeps for what it has not written yet: 64 MB at the end of its log, and 64 MB for
 * the next file if it was killed. Each file of the log keeps its length and its bytes, but its zeros take no space. etcd
 * allocates the space again when it starts. Does nothing without a log.
 *
 * It relies on these parts of etcd's source, which are the same in 3.5, 3.6 and 3.7 (`server/storage/wal` since 3.6,
 * `server/wal` before):
 * - `parseWALName` and `checkWALNames` in util.go: etcd reads files that end in `.wal`, and silently ignores `.tmp`.
 * - `filePipeline` in file_pipeline.go: `0.tmp` and `1.tmp` become the next file of the log. etcd creates one if it is
 *   missing, and deletes it when it stops.
 * - `WAL.cut` in wal.go: etcd syncs all entries to the previous file before it writes the header of the next one, and
 *   appends entries to that only after it has renamed it. So a file that ends in `.tmp` contains no entry.
 * - `WAL.ReadAll` in wal.go and `ZeroToEnd` in fileutil.go: at its start, etcd allocates the end of the last file.
 *
 * @throws {VplaneError} `FAILED` when etcd still uses the log, for example in another container. Nothing is changed then.
 */
export async function freeLogSpace(folder: string): Promise<void> {
  const names = await namesIn(folder)
  const locked = names.find((name) => isFileLocked(join(folder, name)))
  if (locked !== undefined) {
    throw new VplaneError('FAILED', `another program uses "${join(folder, locked)}"`)
  }
  const isTemporary = (name: string) => name.endsWith(TEMPORARY)
  for (const name of names.filter(isTemporary)) {
    await rm(join(folder, name))
  }
  for (const name of names.filter((one) => !isTemporary(one))) {
    await freeZeros(folder, name)
  }
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true })
    return entries.filter((entry) => entry.isFile()).map(({ name }) => name)
  } catch (error) {
    if (hasErrorCode(error, 'ENOENT')) {
      return []
    }
    throw error
  }
}

/** Replaces a file with a copy, in which the zeros at the end are a hole. */
async function freeZeros(folder: string, name: string): Promise<void> {
  const path = join(folder, name)
  const copy = `${path}${TEMPORARY}`
  await using file = await open(path, 'r')
  const { blocks, gid, mode, size, uid } = await file.stat()
  const allocated = blocks * BLOCK_BYTES
  if (allocated < MIN_FREED_BYTES) {
    return
  }
  const written = await endOfData(file, size)
  if (allocated - written < MIN_FREED_BYTES) {
    return
  }
  await using _unfinished = { [Symbol.asyncDispose]: () => rm(copy, { force: true }) }
  await using target = await open(copy, 'wx', 0o600)
  await copyHead(file, target, written)
  await target.truncate(size)
  await target.chown(uid, gid)
  await target.chmod(mode)
  await target.sync()
  await rename(copy, path)
  await using directory = await open(folder, 'r')
  await directory.sync()
}

/** The length of a file without the zeros at its end. It reads from the end. */
async function endOfData(file: FileHandle, size: number): Promise<number> {
  const zeros = Buffer.alloc(CHUNK_BYTES)
  for (let end = size; end > 0; end -= CHUNK_BYTES) {
    const start = Math.max(0, end - CHUNK_BYTES)
    const chunk = await readChunk(file, { start, end })
    if (!chunk.equals(zeros.subarray(0, chunk.length))) {
      return start + chunk.findLastIndex((byte) => byte !== 0) + 1
    }
  }
  return 0
}

async function copyHead(file: FileHandle, target: FileHandle, length: number): Promise<void> {
  for (let start = 0; start < length; start += CHUNK_BYTES) {
    const end = Math.min(start + CHUNK_BYTES, length)
    await target.writeFile(await readChunk(file, { start, end }))
  }
}

/** @throws {VplaneError} `FAILED` when the file has become shorter. */
async function readChunk(
  file: FileHandle,
  { end, start }: { start: number; end: number },
): Promise<Buffer> {
  const chunk = Buffer.alloc(end - start)
  const { bytesRead } = await file.read(chunk, 0, chunk.length, start)
  if (bytesRead < chunk.length) {
    throw new VplaneError('FAILED', 'the log of etcd has become shorter')
  }
  return chunk
}
