import type { Duplex } from 'node:stream'
import { text } from 'node:stream/consumers'
import { httpRequest } from './node-http.ts'

/**
 * Reads a page over a stream to an HTTP server without TLS; the stream ends with the answer.
 *
 * @param options.host the server's own name.
 * @returns its text; undefined when the server refuses.
 * @throws {Error} when the stream or the request fails.
 */
export function getOver(
  stream: Duplex,
  { host, path, signal }: { path: string; host: string; signal: AbortSignal },
): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const headers = { host, connection: 'close' }
    const options = { path, headers, createConnection: () => stream, signal }
    const request = httpRequest(options, (answer) => {
      text(answer).then((page) => resolve(answer.statusCode === 200 ? page : undefined), reject)
    })
    stream.once('error', reject)
    request.once('error', (error) => {
      stream.destroy()
      reject(error)
    })
    request.end()
  })
}
