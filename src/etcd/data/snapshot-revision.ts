import { type FileHandle, open } from 'node:fs/promises'
import { LAST_REVISION } from '../../control-plane/components/arguments/restore-arguments.ts'
import { VplaneError } from '../../shared/errors.ts'

/** The layout of bbolt's pages (go.etcd.io/bbolt 1.4, internal/common/page.go, meta.go and bucket.go). */
const META = { magic: 0xed_0c_da_ed, bytes: 64 }
const HEADER_BYTES = 16
const ELEMENT_BYTES = 16
const LEAF = 0x02
const ROOT_BYTES = 16

/** More pages than from the root of any tree to its leaves. */
const MOST_LEVELS = 64

/** The bucket of etcd with all revisions, as keys of two big-endian numbers (etcd 3.6, server/storage/schema). */
const REVISIONS = Buffer.from('key')
const REVISION_BYTES = 8

/** An element of a page: its key, and the page or the value to which it leads. */
interface Element {
  key: Buffer
  /** Offset in the file. */
  next: number
}

/**
 * Returns the latest revision in a snapshot of etcd; 0 if it has none, or is not a database. It reads a page of each level
 * of two trees, and trusts nothing in them. @throws {VplaneError} `FAILED` when it is later than any that a plane reaches.
 */
export async function snapshotRevision(path: string): Promise<number> {
  await using file = await open(path)
  try {
    const database = await Database.open(file)
    const bucket = await database.last(database.root, REVISIONS)
    if (bucket === undefined || !bucket.key.equals(REVISIONS)) {
      return 0
    }
    const last = await database.last(await database.bucketAt(bucket.next))
    const revision = Number(last?.key.readBigUInt64BE() ?? 0)
    if (revision > LAST_REVISION) {
      const message = `the snapshot is damaged: no plane reaches its revision ${revision}`
      throw new VplaneError('FAILED', message)
    }
    return revision
  } catch (error) {
    if (error instanceof RangeError) {
      return 0
    }
    throw error
  }
}

/** A bbolt database. Its methods throw `RangeError` when what they read cannot be a database. */
class Database {
  readonly root: number
  readonly #file: FileHandle
  readonly #pageBytes: number

  private constructor(file: FileHandle, pageBytes: number, root: number) {
    this.#file = file
    this.#pageBytes = pageBytes
    this.root = root
  }

  /** Two pages describe the database: that of the later transaction is the current one. */
  static async open(file: FileHandle): Promise<Database> {
    const first = await read(file, HEADER_BYTES, META.bytes)
    const pageBytes = first.readUInt32LE(8)
    const second = await read(file, pageBytes + HEADER_BYTES, META.bytes)
    const [latest] = [first, second]
      .filter((meta) => meta.readUInt32LE(0) === META.magic)
      .toSorted((one, other) => Number(other.readBigUInt64LE(48) - one.readBigUInt64LE(48)))
    if (latest === undefined) {
      throw new RangeError('not a database')
    }
    return new Database(file, pageBytes, Number(latest.readBigUInt64LE(16)) * pageBytes)
  }

  /** The page of a bucket; that of a small one follows its root. */
  async bucketAt(value: number): Promise<number> {
    const root = Number((await read(this.#file, value, ROOT_BYTES)).readBigUInt64LE())
    return root === 0 ? value + ROOT_BYTES : root * this.#pageBytes
  }

  /** The last element below a page, or the last one whose key is not after `limit`. */
  async last(page: number, limit?: Buffer): Promise<Element | undefined> {
    let next = page
    for (let level = 0; level < MOST_LEVELS; level += 1) {
      const header = await read(this.#file, next, HEADER_BYTES)
      const isLeaf = header.readUInt16LE(8) === LEAF
      const element = await this.#lastOf(next, { isLeaf, count: header.readUInt16LE(10), limit })
      if (isLeaf || element === undefined) {
        return element
      }
      ;({ next } = element)
    }
    throw new RangeError('too many levels')
  }

  async #lastOf(
    page: number,
    { count, isLeaf, limit }: { count: number; isLeaf: boolean; limit: Buffer | undefined },
  ): Promise<Element | undefined> {
    for (let index = count - 1; index >= 0; index -= 1) {
      const at = page + HEADER_BYTES + index * ELEMENT_BYTES
      const fields = await read(this.#file, at, ELEMENT_BYTES)
      const position = at + fields.readUInt32LE(isLeaf ? 4 : 0)
      const keyBytes = fields.readUInt32LE(isLeaf ? 8 : 4)
      const wantedBytes = Math.min(
        keyBytes,
        limit === undefined ? REVISION_BYTES : limit.length + 1,
      )
      const key = await read(this.#file, position, wantedBytes)
      if (limit === undefined || key.compare(limit) <= 0) {
        const child = isLeaf
          ? position + keyBytes
          : Number(fields.readBigUInt64LE(8)) * this.#pageBytes
        return { key, next: child }
      }
    }
    return undefined
  }
}

/** @throws {RangeError} when the file has not so many bytes there. */
async function read(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, position)
  if (bytesRead < length) {
    throw new RangeError(`${bytesRead} bytes at ${position}`)
  }
  return buffer
}
