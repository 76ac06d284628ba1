/** No line that vplane writes is longer: who reads more reads something else. */
const MAX_BYTES = 4 * 1024 ** 2

/** The first lines of a stream, and the bytes after them. Lines that are not there are missing. */
export async function splitLines(
  bytes: AsyncIterable<Buffer>,
  count: number,
): Promise<{ lines: string[]; rest: AsyncGenerator<Buffer, void, void> }> {
  const iterator = bytes[Symbol.asyncIterator]()
  const lines: string[] = []
  let held = Buffer.alloc(0)
  while (lines.length < count && held.length < MAX_BYTES) {
    const end = held.indexOf('\n')
    if (end >= 0) {
      lines.push(held.subarray(0, end).toString('utf8'))
      held = held.subarray(end + 1)
      continue
    }
    const { done, value } = await iterator.next()
    if (done === true) {
      break
    }
    held = Buffer.concat([held, value])
  }
  return { lines, rest: restOf(held, iterator) }
}

/** What was taken from a stream already, and what is still to come of it. */
export async function* restOf(
  held: Buffer,
  iterator: AsyncIterator<Buffer>,
): AsyncGenerator<Buffer, void, void> {
  yield held
  yield* { [Symbol.asyncIterator]: () => iterator }
}
