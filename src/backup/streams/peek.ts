import { restOf } from './split-lines.ts'

/** Reads the first bytes of a stream, fewer if it has fewer, and returns all of its bytes, too. */
export async function peek(
  bytes: AsyncIterable<Buffer>,
  length: number,
): Promise<{ first: Buffer; all: AsyncGenerator<Buffer, void, void> }> {
  const iterator = bytes[Symbol.asyncIterator]()
  let first = Buffer.alloc(0)
  while (first.length < length) {
    const { done, value } = await iterator.next()
    if (done === true) {
      break
    }
    first = Buffer.concat([first, value])
  }
  return { first, all: restOf(first, iterator) }
}
