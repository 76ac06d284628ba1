import { createWriteStream } from 'node:fs'
import { dirname } from 'node:path'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { isVplaneError, VplaneError } from '../../../../shared/errors.ts'
import { sha256Of } from '../cache/install-binary.ts'
import {
  discard,
  displayUrl,
  type Http,
  type HttpResponse,
  requireStatus,
  toHttpError,
} from './http.ts'
import { notePartial, readPartial, removePartial } from './partial-download.ts'
import { requireFreeSpace, toStorageError } from '../cache/storage-error.ts'

/** Delays before retries. They start again after a try that received something. */
const RETRY_FACTORS = [1, 4, 8]

export interface FileDownload {
  url: string
  /** The file to write. An interrupted download in it is continued. */
  partial: string
  sha256: string
  signal: AbortSignal
  /** Called with the bytes received and, when known, their total. */
  onProgress: (received: number, total: number | undefined) => void
}

/**
 * Downloads a file and verifies it. It continues after a lost connection, and from an interrupted download.
 *
 * @throws {VplaneError} `NOT_FOUND` when the server has no such file, `UNREACHABLE` when it does not answer or stops
 * answering, `FAILED` when the bytes are wrong or the disk is full, `ABORTED` when the signal fires.
 */
export async function downloadFile(http: Http, download: FileDownload): Promise<void> {
  const { partial, sha256, signal, url } = download
  const before = await readPartial(partial, url)
  if (before !== undefined && (await sha256Of(partial, signal)) === sha256) {
    return
  }
  await receive(http, download)
  const found = await sha256Of(partial, signal)
  if (found === sha256) {
    return
  }
  await removePartial(partial)
  if (before !== undefined) {
    // The earlier part may have been damaged; only a complete download proves that the server's file is wrong.
    await downloadFile(http, download)
    return
  }
  throw new VplaneError('FAILED', `${displayUrl(url)} has checksum ${found}, not ${sha256}`, {
    hints: [
      'unset VPLANE_MIRROR, or repair the mirror',
      'check the proxy: it may answer with its own page',
    ],
  })
}

async function receive(http: Http, download: FileDownload): Promise<void> {
  const { partial, signal, url } = download
  for (let failures = 0; ;) {
    const before = (await readPartial(partial, url))?.size ?? 0
    try {
      await receiveOnce(http, download)
      return
    } catch (error) {
      const after = (await readPartial(partial, url))?.size ?? 0
      failures = after > before ? 1 : failures + 1
      const factor = RETRY_FACTORS[failures - 1]
      const isUnreachable = isVplaneError(error, 'UNREACHABLE')
      // A server that never answered gets no retry: the binary can also be built.
      if (after === 0 || factor === undefined || !isUnreachable) {
        throw error
      }
      await delay(factor * http.limits.retryMs, undefined, { signal }).catch(() => {
        // The signal has fired: the next try fails at once with that error.
      })
    }
  }
}

async function receiveOnce(http: Http, download: FileDownload): Promise<void> {
  const { partial, signal, url } = download
  const present = await readPartial(partial, url)
  const headers: Record<string, string> =
    present === undefined ? {} : { range: `bytes=${present.size}-`, 'if-range': present.validator }
  const response = await http.get(url, { headers, signal })
  if (present !== undefined && response.status === 206 && startsAt(response, present.size)) {
    await store(response, download, present.size)
    return
  }
  if (present !== undefined && [206, 416].includes(response.status)) {
    discard(response.body)
    await removePartial(partial)
    await receiveOnce(http, download)
    return
  }
  requireStatus(response, url)
  await removePartial(partial)
  await notePartial(partial, url, validatorOf(response))
  await store(response, download, 0)
}

async function store(response: HttpResponse, download: FileDownload, start: number): Promise<void> {
  const { onProgress, partial, signal, url } = download
  const length = Number(response.headers['content-length'])
  const total = Number.isNaN(length) ? undefined : start + length
  let received = start
  const counter = new Transform({
    transform: (chunk: Buffer, _encoding, done) => {
      received += chunk.length
      onProgress(received, total)
      done(null, chunk)
    },
  })
  const options = start === 0 ? { flags: 'w', mode: 0o600 } : { flags: 'r+', start }
  try {
    await requireFreeSpace(dirname(partial), Number.isNaN(length) ? 0 : length)
    await pipeline(response.body, counter, createWriteStream(partial, options), { signal })
  } catch (error) {
    discard(response.body)
    throw toStorageError(error, dirname(partial)) ?? toHttpError(error, url, signal)
  }
}

function startsAt({ headers }: HttpResponse, offset: number): boolean {
  const range = headers['content-range']
  return typeof range === 'string' && range.startsWith(`bytes ${offset}-`)
}

/** A strong ETag or a date, as `If-Range` requires. */
function validatorOf({ headers }: HttpResponse): string | undefined {
  const found = [headers['etag'], headers['last-modified']]
  return found.find((value) => typeof value === 'string' && !value.startsWith('W/'))?.toString()
}
