import { createHash } from 'node:crypto'
import { createReadStream, readFileSync } from 'node:fs'
import { chmod, open, rename } from 'node:fs/promises'
import { dirname } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { writeFile } from '../../../../shared/files/write-file.ts'
import { packageVersion } from '../../../../shared/package-root.ts'
import { toStorageError } from './storage-error.ts'
import { fieldAt } from '../../../../shared/json-fields.ts'

const FORMAT_VERSION = 1

/** The origin of a binary in the cache, stored beside it with its SHA-256. */
export interface BinaryRecord {
  source: 'download' | 'build'
  /** The URL of the download, or the Go package of the build. */
  origin: string
}

/**
 * Renames a finished file in its folder, so that no process finds an incomplete binary, even after a power failure. It
 * writes the record first: every binary has one.
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
    const written = { formatVersion: FORMAT_VERSION, writtenBy: packageVersion() }
    const stored = { ...written, ...record, sha256: await sha256Of(file) }
    await writeFile(recordPath(path), `${JSON.stringify(stored, undefined, 2)}\n`)
    await rename(file, path)
    await flush(folder)
  } catch (error) {
    throw toStorageError(error, folder) ?? error
  }
}

/** The file with the record of the binary at `path`. */
export function recordPath(path: string): string {
  return `${path}.json`
}

/** The source of the binary at `path`; undefined without a readable record. */
export function sourceOf(path: string): BinaryRecord['source'] | undefined {
  try {
    const stored: unknown = JSON.parse(readFileSync(recordPath(path), 'utf8'))
    const source = fieldAt(stored, 'source')
    const isKnown = source === 'download' || source === 'build'
    return isKnown && fieldAt(stored, 'formatVersion') === FORMAT_VERSION ? source : undefined
  } catch {
    // A binary with a missing or damaged record still runs.
    return undefined
  }
}

/** The SHA-256 of a file, in hexadecimal. */
export async function sha256Of(path: string, signal?: AbortSignal): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path), hash, signal === undefined ? {} : { signal })
  return hash.digest('hex')
}

async function flush(path: string): Promise<void> {
  await using handle = await open(path)
  await handle.sync()
}
