import { readFileSync } from 'node:fs'
import { chmod, open, rename } from 'node:fs/promises'
import { dirname } from 'node:path'
import { writeFile } from '../../../../shared/files/write-file.ts'
import { packageVersion } from '../../../../shared/package-root.ts'
import { sha256Of } from './checksum.ts'
import { toStorageError } from './storage-error.ts'
import { fieldAt } from '../../../../shared/json-fields.ts'

const FORMAT_VERSION = 1

/** How a binary came into the cache; kept beside it, with its SHA-256. */
export interface BinaryRecord {
  source: 'download' | 'build'
  /** The URL it was downloaded from, or the Go package it was built from. */
  origin: string
}

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
    const written = { formatVersion: FORMAT_VERSION, writtenBy: packageVersion() }
    const stored = { ...written, ...record, sha256: await sha256Of(file) }
    await writeFile(recordPath(path), `${JSON.stringify(stored, undefined, 2)}\n`)
    await rename(file, path)
    await flush(folder)
  } catch (error) {
    throw toStorageError(error, folder) ?? error
  }
}

/** The file that keeps the record of the binary at `path`. */
export function recordPath(path: string): string {
  return `${path}.json`
}

/** How the binary at `path` came to be; undefined when nothing readable says so. */
export function sourceOf(path: string): BinaryRecord['source'] | undefined {
  try {
    const stored: unknown = JSON.parse(readFileSync(recordPath(path), 'utf8'))
    const source = fieldAt(stored, 'source')
    const isKnown = source === 'download' || source === 'build'
    return isKnown && fieldAt(stored, 'formatVersion') === FORMAT_VERSION ? source : undefined
  } catch {
    // A binary whose record was lost or damaged still runs, as does one of a newer vplane.
    return undefined
  }
}

async function flush(path: string): Promise<void> {
  await using handle = await open(path)
  await handle.sync()
}
