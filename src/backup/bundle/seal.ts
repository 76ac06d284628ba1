import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { VplaneError } from '../../shared/errors.ts'
import { inChunks } from '../streams/in-chunks.ts'
import { splitLines } from '../streams/split-lines.ts'
import {
  CHUNK_BYTES,
  createHeader,
  nonceOf,
  openHeader,
  sumOf,
  TAG_BYTES,
} from './bundle-format.ts'

/** Encrypts and authenticates a stream with a passphrase. */
export async function* sealed(
  bytes: AsyncIterable<Buffer>,
  passphrase: string,
): AsyncGenerator<Buffer, void, void> {
  const { header, key } = await createHeader(passphrase, randomBytes(16))
  yield Buffer.from(`${header}\n${sumOf(header)}\n`)
  let index = 0
  for await (const { chunk, isLast } of inChunks(bytes, CHUNK_BYTES)) {
    const cipher = createCipheriv('aes-256-gcm', key, nonceOf(index, isLast))
    cipher.setAAD(Buffer.from(header))
    yield Buffer.concat([cipher.update(chunk), cipher.final(), cipher.getAuthTag()])
    index += 1
  }
}

/**
 * Decrypts a sealed stream, each chunk after it was authenticated.
 * @throws {VplaneError} `FAILED`, naming the `source`, when the passphrase is wrong, or a single bit has changed.
 */
export async function* unsealed(
  bytes: AsyncIterable<Buffer>,
  options: { passphrase: string; source: string },
): AsyncGenerator<Buffer, void, void> {
  const { lines, rest } = await splitLines(bytes, 2)
  const [header = '', sum = ''] = lines
  const key = await openHeader([header, sum], options)
  let index = 0
  for await (const { chunk, isLast } of inChunks(rest, CHUNK_BYTES + TAG_BYTES)) {
    const decipher = createDecipheriv('aes-256-gcm', key, nonceOf(index, isLast), {
      authTagLength: TAG_BYTES,
    })
    decipher.setAAD(Buffer.from(header))
    try {
      decipher.setAuthTag(chunk.subarray(-TAG_BYTES))
      yield Buffer.concat([decipher.update(chunk.subarray(0, -TAG_BYTES)), decipher.final()])
    } catch (error) {
      const message = `${options.source} is damaged: part ${index + 1} of it is not what was written`
      throw new VplaneError('FAILED', message, { cause: error })
    }
    index += 1
  }
}
