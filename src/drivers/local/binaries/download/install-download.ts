import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { messageOf, VplaneError } from '../../../../shared/errors.ts'
import type { BinaryRecord } from '../cache/binary-record.ts'
import { sha256Of } from '../cache/checksum.ts'
import { displayUrl } from './http.ts'
import { installBinary } from '../cache/install-binary.ts'
import type { Download } from './sources.ts'
import { toStorageError } from '../cache/storage-error.ts'
import { untar } from './untar.ts'
import { unzip } from './unzip.ts'

interface VerifiedFile {
  /** The downloaded file, in the folder that the binaries go to. */
  file: string
  folder: string
  sha256: string
}

/**
 * Puts the binaries of a downloaded and verified file into their folder; the file is gone afterwards.
 *
 * @throws {VplaneError} `FAILED` when an archive does not hold what it should, or the disk is full.
 */
export async function installDownload(download: Download, verified: VerifiedFile): Promise<void> {
  const { archive, names, url } = download
  const { file, folder, sha256 } = verified
  const record: BinaryRecord = { source: 'download', origin: displayUrl(url), sha256 }
  if (archive === undefined) {
    for (const name of names) {
      await installBinary(file, join(folder, name), record)
    }
    return
  }
  const extracted = Object.entries(archive.entries).map(([name, entry]) => ({
    name,
    entry,
    temporary: join(folder, `.${name}.part`),
  }))
  await extractAll(download, verified, extracted)
  for (const { name, temporary } of extracted) {
    const own = await sha256Of(temporary)
    await installBinary(temporary, join(folder, name), { ...record, sha256: own })
  }
  await rm(file, { force: true })
}

async function extractAll(
  { archive, url }: Download,
  { file, folder }: VerifiedFile,
  wanted: ReadonlyArray<{ entry: string; temporary: string }>,
): Promise<void> {
  const targets = new Map(wanted.map(({ entry, temporary }) => [entry, temporary]))
  let found: string[]
  try {
    found = await (archive?.format === 'zip' ? unzip(file, targets) : untar(file, targets))
  } catch (error) {
    throw (
      toStorageError(error, folder) ??
      new VplaneError('FAILED', `cannot unpack ${displayUrl(url)}: ${messageOf(error)}`, {
        cause: error,
      })
    )
  }
  const missing = wanted.filter(({ entry }) => !found.includes(entry))
  if (missing.length > 0) {
    const list = missing.map(({ entry }) => entry).join(', ')
    throw new VplaneError('FAILED', `${displayUrl(url)} does not hold ${list}`)
  }
}
