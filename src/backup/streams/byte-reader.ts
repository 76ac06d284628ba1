/** Reads a stream in portions of any size, and ends it when it is disposed. */
export class ByteReader implements AsyncDisposable {
  readonly #iterator: AsyncIterator<Buffer>
  #buffered: Buffer = Buffer.alloc(0)

  constructor(bytes: AsyncIterable<Buffer>) {
    this.#iterator = bytes[Symbol.asyncIterator]()
  }

  /** The next bytes; undefined when the stream has fewer. */
  async take(length: number): Promise<Buffer | undefined> {
    const pieces: Buffer[] = [this.#buffered]
    let size = this.#buffered.length
    while (size < length) {
      const { done, value } = await this.#iterator.next()
      if (done === true) {
        return undefined
      }
      pieces.push(value)
      size += value.length
    }
    const all = pieces.length === 1 ? this.#buffered : Buffer.concat(pieces)
    this.#buffered = all.subarray(length)
    return all.subarray(0, length)
  }

  /** The bytes to the end of a line, with it; undefined when no line ends within `limit` bytes. */
  async takeLine(limit: number): Promise<Buffer | undefined> {
    while (!this.#buffered.includes('\n') && this.#buffered.length < limit) {
      const { done, value } = await this.#iterator.next()
      if (done === true) {
        return undefined
      }
      this.#buffered = Buffer.concat([this.#buffered, value])
    }
    const end = this.#buffered.indexOf('\n')
    return end < 0 ? undefined : this.take(end + 1)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#iterator.return?.()
  }

  /** Whether no byte follows. */
  async isAtEnd(): Promise<boolean> {
    return (await this.take(1)) === undefined
  }
}
