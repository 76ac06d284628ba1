import { readFileSync } from 'node:fs'
import { VplaneError } from '../../../../shared/errors.ts'
import { packageVersion } from '../../../../shared/package-root.ts'
import { writeFile } from '../../../../shared/files/write-file.ts'

const FORMAT_VERSION = 1

/** How a binary came into the cache; kept beside it. */
export interface BinaryRecord {
  source: 'download' | 'build'
  /** The URL it was downloaded from, or the Go package it was built from. */
  origin: string
  sha256: string
}

/** The file that keeps the record of the binary at `path`. */
export function recordPath(path: string): string {
  return `${path}.json`
}

/** Stores how the binary at `path` came to be. */
export async function writeRecord(path: string, record: BinaryRecord): Promise<void> {
  const stored = { formatVersion: FORMAT_VERSION, writtenBy: packageVersion(), ...record }
  await writeFile(recordPath(path), `${JSON.stringify(stored, undefined, 2)}\n`)
}

/** How the binary at `path` came to be; undefined when nothing readable says so. */
export function readRecord(path: string): BinaryRecord | undefined {
  try {
    const stored: unknown = JSON.parse(readFileSync(recordPath(path), 'utf8'))
    return toRecord(stored)
  } catch {
    // A binary whose record was lost or written by a newer vplane still runs.
    return undefined
  }
}

function toRecord(stored: unknown): BinaryRecord {
  const fields = new Map(
    Object.entries(typeof stored === 'object' && stored !== null ? stored : {}),
  )
  const source = fields.get('source')
  if (
    fields.get('formatVersion') !== FORMAT_VERSION ||
    (source !== 'download' && source !== 'build')
  ) {
    throw new VplaneError('FAILED', 'not a record of a binary')
  }
  return { source, origin: String(fields.get('origin')), sha256: String(fields.get('sha256')) }
}
