import { createHash } from 'node:crypto'
import { open } from 'node:fs/promises'
import { LAST_REVISION } from '../../control-plane/components/arguments/restore-arguments.ts'
import { VplaneError } from '../../shared/errors.ts'
import { omitUndefined } from '../../shared/omit-undefined.ts'
import { hasFields, hasOptional, parseStored } from '../../shared/stored-format.ts'
import { ByteReader } from '../streams/byte-reader.ts'
import {
  COUNT_BYTES,
  LOGICAL_MAGIC,
  LOGICAL_VERSION,
  type LogicalHeader,
  type LogicalKey,
  MAX_KEY_BYTES,
  MAX_VALUE_BYTES,
  RECORD_BYTES,
  SHA256_BYTES,
} from './logical-format.ts'

const MAX_HEADER_BYTES = 64 * 1024

/** Bytes of a logical snapshot, and the key that they contain, if any. */
interface Piece {
  bytes: Buffer
  key?: LogicalKey
}

/** Passes on the bytes of a logical snapshot, `what`. @throws {VplaneError} `FAILED` as `pieces` does. */
export async function* verifiedLogical(
  bytes: AsyncIterable<Buffer>,
  what: string,
): AsyncGenerator<Buffer, void, void> {
  for await (const piece of pieces(bytes, what)) {
    yield piece.bytes
  }
}

/** What the file of a logical snapshot says about it; undefined for another file. */
export async function logicalHeader(file: string): Promise<LogicalHeader | undefined> {
  await using handle = await open(file)
  const reader = new ByteReader(handle.createReadStream({ autoClose: false }))
  const magic = await reader.take(LOGICAL_MAGIC.length)
  return magic?.toString('latin1') === LOGICAL_MAGIC
    ? (await headerOf(reader, file)).header
    : undefined
}

/** The keys in the file of a logical snapshot. @throws {VplaneError} `FAILED` as `pieces` does. */
export async function* logicalKeys(file: string): AsyncGenerator<LogicalKey, void, void> {
  await using handle = await open(file)
  const bytes = handle.createReadStream({ autoClose: false })
  for await (const { key } of pieces(bytes, `"${file}"`)) {
    if (key !== undefined) {
      yield key
    }
  }
}

/**
 * Reads a logical snapshot, `what`, one key at a time.
 * @throws {VplaneError} `FAILED` when it is damaged or incomplete, at the latest after the last piece.
 */
async function* pieces(
  bytes: AsyncIterable<Buffer>,
  what: string,
): AsyncGenerator<Piece, void, void> {
  await using reader = new ByteReader(bytes)
  const hash = createHash('sha256')
  const take = async (length: number) => {
    const taken = await reader.take(length)
    if (taken === undefined) {
      throw new VplaneError(
        'FAILED',
        `${what} is not a complete logical snapshot: its end is missing`,
      )
    }
    return taken
  }
  const magic = await take(LOGICAL_MAGIC.length)
  const { line } = await headerOf(reader, what)
  hash.update(magic).update(line)
  yield { bytes: Buffer.concat([magic, line]) }
  let former = Buffer.alloc(0)
  for (let count = 0n; ; count += 1n) {
    const record = await take(RECORD_BYTES)
    const [keyBytes, valueBytes, ttlSeconds] = [0, 4, 8].map((at) => record.readUInt32BE(at))
    if (keyBytes === 0) {
      const counted = await take(COUNT_BYTES)
      hash.update(record).update(counted)
      const sum = await take(SHA256_BYTES)
      if (counted.readBigUInt64BE() !== count || !hash.digest().equals(sum)) {
        throw damaged(what, 'its SHA-256 is not the one at its end')
      }
      if (!(await reader.isAtEnd())) {
        throw damaged(what, 'more follows its end')
      }
      yield { bytes: Buffer.concat([record, counted, sum]) }
      return
    }
    if (Number(keyBytes) > MAX_KEY_BYTES || Number(valueBytes) > MAX_VALUE_BYTES) {
      throw damaged(what, `a key of ${keyBytes} bytes has a value of ${valueBytes} bytes`)
    }
    const content = await take(Number(keyBytes) + Number(valueBytes))
    hash.update(record).update(content)
    const key = content.subarray(0, keyBytes)
    if (key.compare(former) <= 0) {
      throw damaged(what, 'its keys do not ascend')
    }
    former = Buffer.from(key)
    const value = content.subarray(keyBytes)
    const life = ttlSeconds === 0 ? {} : { ttlSeconds: Number(ttlSeconds) }
    yield { bytes: Buffer.concat([record, content]), key: { key, value, ...life } }
  }
}

async function headerOf(
  reader: ByteReader,
  source: string,
): Promise<{ header: LogicalHeader; line: Buffer }> {
  const line = (await reader.takeLine(MAX_HEADER_BYTES)) ?? Buffer.alloc(0)
  const stored = parseStored(String(line), { source, formatVersion: LOGICAL_VERSION }, isHeader)
  const { kubernetesVersion, prefix, revision, store } = stored
  return { header: { kubernetesVersion, revision, store, ...omitUndefined({ prefix }) }, line }
}

function isHeader(value: unknown): value is LogicalHeader {
  return (
    hasFields(value, { revision: 'number', kubernetesVersion: 'string', store: 'string' }) &&
    hasOptional(value, 'string', ['prefix']) &&
    Number.isSafeInteger(Object(value).revision) &&
    Object(value).revision > 0 &&
    Object(value).revision <= LAST_REVISION
  )
}

function damaged(what: string, why: string): VplaneError {
  return new VplaneError('FAILED', `${what} is damaged: ${why}`)
}
