import { createReadStream, createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'

const BLOCK = 512

/** Writes entries of a .tar.gz, by their exact names, to files of their own; returns the names that were found. */
export async function untar(
  archive: string,
  targets: ReadonlyMap<string, string>,
): Promise<string[]> {
  const source = createReadStream(archive)
  const gunzip = createGunzip()
  const found: string[] = []
  await pipeline(source, gunzip, async (chunks: AsyncIterable<Buffer>) => {
    const reader = createReader(chunks)
    for (;;) {
      const header = Buffer.concat(await Array.fromAsync(reader.take(BLOCK)))
      if (header[0] === 0) {
        return
      }
      const { isFile, name, size } = parseHeader(header)
      const target = isFile ? targets.get(name) : undefined
      if (target === undefined) {
        await drain(reader.take(size))
      } else {
        await pipeline(Readable.from(reader.take(size)), createWriteStream(target, { mode: 0o600 }))
        found.push(name)
      }
      await drain(reader.take((BLOCK - (size % BLOCK)) % BLOCK))
    }
  })
  return found
}

function parseHeader(header: Buffer): { name: string; size: number; isFile: boolean } {
  const text = (start: number, end: number) => {
    const field = header.toString('utf8', start, end)
    const [value = ''] = field.split('\0')
    return value
  }
  const prefix = text(257, 263).startsWith('ustar') ? text(345, 500) : ''
  const size = Number.parseInt(text(124, 136).trim(), 8)
  if (!Number.isSafeInteger(size)) {
    throw new Error('the archive has an entry without a size')
  }
  return {
    name: prefix === '' ? text(0, 100) : `${prefix}/${text(0, 100)}`,
    size,
    isFile: ['', '0'].includes(text(156, 157)),
  }
}

/** Hands out exact numbers of bytes of a stream of chunks. */
function createReader(chunks: AsyncIterable<Buffer>): {
  take: (size: number) => AsyncGenerator<Buffer, void>
} {
  const iterator = chunks[Symbol.asyncIterator]()
  let rest: Buffer = Buffer.alloc(0)
  return {
    take: async function* take(size) {
      for (let missing = size; missing > 0;) {
        if (rest.length === 0) {
          const next = await iterator.next()
          if (next.done === true) {
            throw new Error('the archive is cut off')
          }
          rest = next.value
        }
        const piece = rest.subarray(0, missing)
        rest = rest.subarray(piece.length)
        missing -= piece.length
        yield piece
      }
    },
  }
}

async function drain(pieces: AsyncIterable<Buffer>): Promise<void> {
  for await (const _ of pieces) {
    // Only what comes after is of interest.
  }
}
