import { readFile, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { messageOf, VplaneError } from '../../../../shared/errors.ts'
import { displayUrl } from './http.ts'
import { installBinary } from '../cache/install-binary.ts'
import type { Download } from './sources.ts'
import { toStorageError } from '../cache/storage-error.ts'
import { unzip } from './unzip.ts'

/**
 * Installs the binaries of a downloaded and verified file in its folder.
 *
 * @throws {VplaneError} `FAILED` when an archive lacks a binary, or the disk is full.
 */
export async function installDownload({ archive, url }: Download, file: string): Promise<void> {
  const folder = dirname(file)
  const record = { source: 'download', origin: displayUrl(url) } as const
  if (archive === undefined) {
    await installBinary(file, join(folder, basename(url)), record)
    return
  }
  const contents = await unpack(archive, file, url)
  for (const [path, content] of contents) {
    const name = basename(path)
    const part = join(folder, `.${name}.part`)
    await writeFile(part, content, { mode: 0o600 }).catch((error: unknown) => {
      throw toStorageError(error, folder) ?? error
    })
    await installBinary(part, join(folder, name), record)
  }
}

async function unpack(
  { format, paths }: NonNullable<Download['archive']>,
  file: string,
  url: string,
): Promise<Map<string, Buffer>> {
  let contents: Map<string, Buffer>
  try {
    if (format === 'zip') {
      contents = unzip(await readFile(file), paths)
    } else {
      // Loaded only here, since binaries of Kubernetes do not come in an archive.
      const { untarGz } = await import('../../../../shared/files/tar.ts')
      contents = await untarGz(file, paths)
    }
  } catch (error) {
    throw new VplaneError('FAILED', `cannot unpack ${displayUrl(url)}: ${messageOf(error)}`, {
      cause: error,
    })
  }
  const missing = paths.filter((path) => !contents.has(path))
  if (missing.length > 0) {
    throw new VplaneError('FAILED', `${displayUrl(url)} does not hold ${missing.join(', ')}`)
  }
  return contents
}
