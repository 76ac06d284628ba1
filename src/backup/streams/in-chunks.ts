/** The same bytes in chunks of one size; the last chunk may be shorter, and exists even when it is empty. */
export async function* inChunks(
  bytes: AsyncIterable<Buffer>,
  size: number,
): AsyncGenerator<{ chunk: Buffer; isLast: boolean }, void, void> {
  let buffered: Buffer[] = []
  let bufferedBytes = 0
  for await (const piece of bytes) {
    buffered.push(piece)
    bufferedBytes += piece.length
    if (bufferedBytes > size) {
      let all = Buffer.concat(buffered)
      for (; all.length > size; all = all.subarray(size)) {
        yield { chunk: all.subarray(0, size), isLast: false }
      }
      buffered = [all]
      bufferedBytes = all.length
    }
  }
  yield { chunk: Buffer.concat(buffered), isLast: true }
}
