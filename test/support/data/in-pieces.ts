/** Bytes as a stream of pieces of this size; the last one may be shorter. */
export async function* inPieces(bytes: Buffer, size: number): AsyncGenerator<Buffer, void, void> {
  for (let at = 0; at < bytes.length; at += size) {
    yield bytes.subarray(at, at + size)
  }
}
