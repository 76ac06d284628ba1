import type { Duplex } from 'node:stream'
import { text } from 'node:stream/consumers'
import { httpRequest } from './node-http.ts'

/** A page that is served over HTTP. */
export interface GetOver {
  path: string
  /** Who is asked, as it knows itself. */
  host: string
  signal: AbortSignal
}

/**
 * Reads a page over a stream that leads to a server of HTTP without TLS, and ends with the answer.
 *
 * @returns its text; undefined when the server refuses.
 * @throws {Error} what keeps it from being answered.
 */
export function getOver(
  stream: Duplex,
  { host, path, signal }: GetOver,
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
