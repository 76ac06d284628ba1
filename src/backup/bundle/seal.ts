import { createCipheriv, randomBytes } from 'node:crypto'
import { inChunks } from '../streams/in-chunks.ts'
import { CHUNK_BYTES, createHeader, nonceOf, sumOf } from './bundle-format.ts'

/** The bytes, encrypted and authenticated with a passphrase, as they come. */
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
