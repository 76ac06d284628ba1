const NEWLINE = 0x0a

/**
 * The values of a stream of JSON texts, one a line. Chunks may end anywhere, in the middle of a character too.
 *
 * @throws {SyntaxError} when a line is not JSON.
 */
export async function* parseJsonLines(chunks: AsyncIterable<Buffer>): AsyncGenerator {
  let rest: Buffer[] = []
  for await (const chunk of chunks) {
    let start = 0
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      const line = textOf([...rest, chunk.subarray(start, end)])
      rest = []
      start = end + 1
      if (line !== '') {
        yield JSON.parse(line)
      }
    }
    if (start < chunk.length) {
      rest.push(chunk.subarray(start))
    }
  }
  const line = textOf(rest)
  if (line !== '') {
    yield JSON.parse(line)
  }
}

/** A character is whole only when the line is: so bytes are joined first and made text last. */
function textOf(parts: Buffer[]): string {
  return Buffer.concat(parts).toString('utf8').trim()
}
