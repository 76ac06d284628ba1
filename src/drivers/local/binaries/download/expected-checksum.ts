import { VplaneError } from '../../../../shared/errors.ts'
import { displayUrl, type Http, requireStatus, toHttpError } from './http.ts'
import type { Download } from './sources.ts'

const MAX_BYTES = 256 * 1024

/**
 * The SHA-256 that a download must have: known to vplane, or published beside the file.
 * @throws {VplaneError} `NOT_FOUND` when the release does not exist, `UNREACHABLE` when the server does not answer,
 * `FAILED` when its answer has no checksum.
 */
export async function expectedChecksum(
  http: Http,
  { checksum }: Download,
  signal: AbortSignal,
): Promise<string> {
  if ('sha256' in checksum) {
    return checksum.sha256
  }
  const { fileName, url } = checksum
  const response = await http.get(url, { signal })
  requireStatus(response, url)
  let text = ''
  try {
    for await (const chunk of response.body) {
      text += String(chunk)
      if (text.length > MAX_BYTES) {
        break
      }
    }
  } catch (error) {
    throw toHttpError(error, url, signal)
  }
  const sum = text.length > MAX_BYTES ? undefined : parseChecksum(text, fileName)
  if (sum === undefined) {
    throw new VplaneError('FAILED', `${displayUrl(url)} contains no checksum of "${fileName}"`, {
      hints: ['unset VPLANE_MIRROR, or repair the mirror', `curl -L ${displayUrl(url)}`],
    })
  }
  return sum
}

/** The SHA-256 of `fileName` in a checksum file: its only word, or the line of that name; undefined without one. */
export function parseChecksum(text: string, fileName: string): string | undefined {
  const lines = text.split('\n').map((line) => line.trim().split(/\s+\*?/))
  const [sum] =
    lines.find(([, name]) => name === fileName) ??
    lines
      .filter(([word]) => word !== '')
      .find((words, _, all) => all.length === 1 && words.length === 1) ??
    []
  return sum !== undefined && /^[0-9a-f]{64}$/i.test(sum) ? sum.toLowerCase() : undefined
}
