import { Duplex, Transform } from 'node:stream'

/** What a server may send over one connection, in bytes. The answers of one with thousands of databases are smaller. */
const MOST_BYTES = 2 * 1024 * 1024

/** How long one connection may exist, in milliseconds: enough for all statements that make or drop a database. */
const LONGEST_MS = 180_000

export interface StreamLimits {
  /** @default 2 MiB */
  mostBytes?: number
  /** @default 180_000 */
  longestMs?: number
}

/**
 * A stream to a server that its user has chosen, and that may be hostile: it can neither fill the memory of this process nor
 * keep it waiting. The stream fails at its limits.
 */
export function limitedStream(
  stream: Duplex,
  { longestMs = LONGEST_MS, mostBytes = MOST_BYTES }: StreamLimits = {},
): Duplex {
  let bytes = 0
  const counted = new Transform({
    transform: (chunk: Buffer, _encoding, done) => {
      bytes += chunk.length
      done(bytes > mostBytes ? new Error('the server sends too much') : null, chunk)
    },
  })
  const limited = Duplex.from({ writable: stream, readable: stream.pipe(counted) })
  const timer = setTimeout(() => limited.destroy(new Error('the server is too slow')), longestMs)
  // It may break before or after someone listens; without a listener, the error would end the process.
  limited.on('error', () => {})
  // As a socket does: clients of databases wait for the close.
  limited.once('end', () => limited.destroy())
  limited.once('close', () => {
    clearTimeout(timer)
    stream.destroy()
  })
  return limited
}
