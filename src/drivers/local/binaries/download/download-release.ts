import { readFile, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { Environment } from '../../../../shared/environment.ts'
import { isVplaneError, messageOf, VplaneError } from '../../../../shared/errors.ts'
import type { Paths } from '../../../../shared/paths.ts'
import type { Ui } from '../../../../shared/ui.ts'
import { type BinaryName, type Release, titleOf } from '../cache/binary.ts'
import { releaseFolder } from '../cache/cache-layout.ts'
import { downloadFile } from './download-file.ts'
import { expectedChecksum } from './expected-checksum.ts'
import { displayUrl, type Http, type HttpLimits, openHttp } from './http.ts'
import { installBinary } from '../cache/install-binary.ts'
import { removePartial } from './partial-download.ts'
import { formatPlatform } from '../cache/platform.ts'
import { toStorageError } from '../cache/storage-error.ts'
import { type ChecksumTable, type Download, sourcesOf } from './sources.ts'
import { unzip } from './unzip.ts'

const MIB = 1024 * 1024

export interface DownloadContext {
  paths: Pick<Paths, 'cache'>
  environment: Environment
  ui: Ui
  signal: AbortSignal
  limits?: Partial<HttpLimits>
  /** The checksums of unofficial binaries. @default vplane's own table */
  trusted?: ChecksumTable
}

/**
 * Downloads the available binaries of a release, and returns why others were not downloaded, in clauses for users.
 * @throws {VplaneError} `FAILED` when a checksum differs or the disk is full, `ABORTED` when the signal fires, `USAGE`
 * when a variable for a mirror or proxy is not a URL.
 */
export async function downloadRelease(
  release: Release,
  names: readonly BinaryName[],
  context: DownloadContext,
): Promise<string[]> {
  const { environment, limits, ui } = context
  const { downloads, unavailable } = sourcesOf(release, names, context)
  const platform = formatPlatform(release.platform)
  const reason = `there is no trusted build of ${unavailable.join(', ')} for ${platform}`
  const reasons = unavailable.length === 0 ? [] : [reason]
  if (downloads.length === 0) {
    return reasons
  }
  await using http = await openHttp(environment, limits)
  ui.step(`downloading ${titleOf(release)}`)
  warnOfPlainHttp(downloads, ui)
  warnOfUnofficial(downloads, ui)
  const onProgress = createDownloadProgress(ui, downloads.length)
  const results = await Promise.allSettled(
    downloads.map((download) => fetchOne(release, download, { ...context, http, onProgress })),
  )
  const failures = failuresOf(results)
  if (failures.length === downloads.length) {
    ui.failStep()
  }
  return [...new Set([...reasons, ...failures])]
}

/** The checksums come from the same mirror. */
function warnOfPlainHttp(downloads: readonly Download[], ui: Ui): void {
  const { hostname, protocol } = new URL(downloads[0]?.url ?? 'https://dl.k8s.io')
  if (protocol === 'http:' && !/^(?:localhost|127\..*|\[::1\])$/.test(hostname)) {
    ui.warn(
      `VPLANE_MIRROR uses http: anyone on the way to ${hostname} can replace the programs that vplane downloads and runs`,
    )
  }
}

function warnOfUnofficial(downloads: readonly Download[], ui: Ui): void {
  const unofficial = downloads.filter(({ unofficialFrom }) => unofficialFrom !== undefined)
  const [first] = unofficial
  if (first?.unofficialFrom !== undefined) {
    const names = unofficial.map(({ url }) => basename(url)).join(', ')
    ui.warn(
      `Kubernetes releases no ${names} for this platform: these are unofficial builds of ${first.unofficialFrom}, checked against SHA-256 sums that come with vplane`,
    )
  }
}

/** Adds up the bytes of concurrent downloads, and shows them as `12 of 250 MiB` when the text changes. */
function createDownloadProgress(ui: Ui, count: number) {
  const files = new Map<string, { received: number; total: number | undefined }>()
  let shown = ''
  return (file: string, received: number, total: number | undefined) => {
    files.set(file, { received, total })
    const all = [...files.values()]
    const sum = all.reduce((bytes, each) => bytes + each.received, 0)
    const isKnown = all.length === count && all.every((each) => each.total !== undefined)
    const whole = all.reduce((bytes, each) => bytes + (each.total ?? 0), 0)
    const text = isKnown ? `${toMib(sum)} of ${toMib(whole)} MiB` : `${toMib(sum)} MiB`
    if (text !== shown) {
      shown = text
      ui.progress(text)
    }
  }
}

function toMib(bytes: number): number {
  return Math.round(bytes / MIB)
}

interface FetchContext extends DownloadContext {
  http: Http
  onProgress: ReturnType<typeof createDownloadProgress>
}

async function fetchOne(
  release: Release,
  download: Download,
  { http, onProgress, paths, signal }: FetchContext,
): Promise<void> {
  const { url } = download
  const folder = releaseFolder(paths.cache, release)
  const partial = join(folder, `.${basename(url)}.part`)
  const sha256 = await expectedChecksum(http, download, signal)
  await downloadFile(http, {
    url,
    partial,
    sha256,
    signal,
    onProgress: (received, total) => onProgress(url, received, total),
  })
  await installDownload(download, { file: partial, folder })
  await removePartial(partial)
}

/** The reasons of downloads that a build can replace. Throws all other errors. */
function failuresOf(results: ReadonlyArray<PromiseSettledResult<void>>): string[] {
  const errors: unknown[] = results.flatMap((result) =>
    result.status === 'rejected' ? [result.reason] : [],
  )
  return errors.map((error) => {
    if (isVplaneError(error, 'NOT_FOUND', 'UNREACHABLE')) {
      return error.message
    }
    throw error
  })
}

/** @throws {VplaneError} `FAILED` when an archive lacks a binary, or the disk is full. */
async function installDownload(
  { archive, url }: Download,
  { file, folder }: { file: string; folder: string },
): Promise<void> {
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
