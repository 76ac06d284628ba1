import { VplaneError } from '../../../../shared/errors.ts'
import { parseChecksum } from '../cache/checksum.ts'
import { displayUrl, type Http, requireStatus, toHttpError } from './http.ts'
import type { Download } from './sources.ts'

const MAX_BYTES = 256 * 1024

/**
 * The SHA-256 that a download must have: ours, or the one its project publishes beside it.
 *
 * @throws {VplaneError} `NOT_FOUND` when there is no such release, `UNREACHABLE` when the server does not answer,
 * `FAILED` when its answer holds no checksum.
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
    throw new VplaneError('FAILED', `${displayUrl(url)} holds no checksum of "${fileName}"`, {
      hints: ['unset VPLANE_MIRROR, or repair the mirror', `curl -L ${displayUrl(url)}`],
    })
  }
  return sum
}
