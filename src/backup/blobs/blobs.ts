/** Named pieces of data in one place, each complete or not there: a folder, or a prefix in a bucket. */
export interface Blobs {
  /** Where a piece is, for people: a path or a URL. */
  locationOf(name: string): string
  /** Writes one, in place of what had its name. */
  write(name: string, bytes: AsyncIterable<Buffer>, signal: AbortSignal): Promise<void>
  /** Reads one; undefined when there is none. */
  read(name: string, signal: AbortSignal): Promise<AsyncIterable<Buffer> | undefined>
  /** The names of all of them. */
  list(signal: AbortSignal): Promise<string[]>
  /** Removes one; one that is not there is fine. */
  remove(name: string, signal: AbortSignal): Promise<void>
  /** Removes what there is of those that were never complete, as their writer was killed, where the name is meant. */
  removePartial(isMeant: (name: string) => boolean, signal: AbortSignal): Promise<void>
}
