/** The same bytes in chunks of one size; the last may be shorter, and is there even when it is empty. */
export async function* inChunks(
  bytes: AsyncIterable<Buffer>,
  size: number,
): AsyncGenerator<{ chunk: Buffer; isLast: boolean }, void, void> {
  let held: Buffer[] = []
  let heldBytes = 0
  for await (const piece of bytes) {
    held.push(piece)
    heldBytes += piece.length
    if (heldBytes > size) {
      let all = Buffer.concat(held)
      for (; all.length > size; all = all.subarray(size)) {
        yield { chunk: all.subarray(0, size), isLast: false }
      }
      held = [all]
      heldBytes = all.length
    }
  }
  yield { chunk: Buffer.concat(held), isLast: true }
}
