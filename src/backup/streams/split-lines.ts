/** The limit of a line: vplane writes no longer ones. */
const MAX_BYTES = 4 * 1024 ** 2

/** The first lines of a stream, fewer if it has fewer, and the bytes after them. */
export async function splitLines(
  bytes: AsyncIterable<Buffer>,
  count: number,
): Promise<{ lines: string[]; rest: AsyncGenerator<Buffer, void, void> }> {
  const iterator = bytes[Symbol.asyncIterator]()
  const lines: string[] = []
  let buffered = Buffer.alloc(0)
  while (lines.length < count && buffered.length < MAX_BYTES) {
    const end = buffered.indexOf('\n')
    if (end >= 0) {
      lines.push(buffered.subarray(0, end).toString('utf8'))
      buffered = buffered.subarray(end + 1)
      continue
    }
    const { done, value } = await iterator.next()
    if (done === true) {
      break
    }
    buffered = Buffer.concat([buffered, value])
  }
  return { lines, rest: restOf(buffered, iterator) }
}

/** The bytes that were already read from a stream, and those that follow. It ends the stream wherever its reader stops. */
export async function* restOf(
  buffered: Buffer,
  iterator: AsyncIterator<Buffer>,
): AsyncGenerator<Buffer, void, void> {
  await using _ended = { [Symbol.asyncDispose]: async () => void (await iterator.return?.()) }
  yield buffered
  yield* { [Symbol.asyncIterator]: () => iterator }
}
