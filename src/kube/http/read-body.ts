import type { IncomingMessage } from 'node:http'

/** The body as text, up to `limit` bytes; a longer body is cut and its connection closed. @default no limit */
export async function readBody(response: IncomingMessage, limit = Infinity): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk)
    size += chunk.length
    if (size >= limit) {
      break
    }
  }
  return Buffer.concat(chunks).toString('utf8', 0, Math.min(size, limit))
}
