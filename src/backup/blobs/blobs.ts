/** Named blobs in a folder, or below a prefix in a bucket; an incomplete blob does not exist. */
export interface Blobs {
  /** The path or URL of a blob, for people. */
  locationOf(name: string): string
  /** Writes a blob, and replaces one of the same name. */
  write(name: string, bytes: AsyncIterable<Buffer>, signal: AbortSignal): Promise<void>
  read(name: string, signal: AbortSignal): Promise<AsyncIterable<Buffer> | undefined>
  list(signal: AbortSignal): Promise<string[]>
  /** Removes a blob if it exists. */
  remove(name: string, signal: AbortSignal): Promise<void>
  /** Removes the incomplete blobs of killed writers whose names match. */
  removePartial(matches: (name: string) => boolean, signal: AbortSignal): Promise<void>
}
