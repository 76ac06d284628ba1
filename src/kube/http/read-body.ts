import type { IncomingMessage } from 'node:http'

/** The whole body as text; what goes beyond `limit` bytes is not read and ends the connection. @default no limit */
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
