import { createHash, scrypt, timingSafeEqual } from 'node:crypto'
import { isDeepStrictEqual, promisify } from 'node:util'
import { VplaneError } from '../../shared/errors.ts'
import { packageVersion } from '../../shared/package-root.ts'
import { hasFields, parseStored } from '../../shared/stored-format.ts'
import { fieldAt } from '../../shared/json-fields.ts'

/*
 * A sealed bundle has two lines, followed by chunks. The first line is the header, which describes how the key is
 * derived from the passphrase. The second line is the SHA-256 of the first, to distinguish damage from a wrong
 * passphrase. Each chunk is AES-256-GCM of at most CHUNK_BYTES, followed by its tag, which also covers the header. The
 * nonce has the chunk's number and whether it is the last one, so that no chunk can be removed or moved, and the bundle
 * cannot be truncated (STREAM, eprint.iacr.org/2015/189).
 */

/** The format that this vplane writes; it reads every older format too. */
const FORMAT_VERSION = 1

/** The beginning of every bundle and of no snapshot of etcd. */
export const MAGIC = '{"format":"vplane-bundle",'

export const CHUNK_BYTES = 64 * 1024
export const TAG_BYTES = 16

/**
 * 128 MiB and about a third of a second for each guess (RFC 7914). Anyone can write a header, and another cost could take
 * days: a format with another one needs another version.
 */
const COST = { N: 2 ** 17, r: 8, p: 1 }
/** More than that. */
const MAX_MEMORY = 256 * 1024 ** 2

/** How the key of a bundle is derived from its passphrase. */
interface BundleHeader {
  salt: string
  cost: typeof COST
  /** Detects a wrong passphrase at once. */
  check: string
}

/** Creates the header and the key of a new bundle. */
export async function createHeader(
  passphrase: string,
  salt: Buffer,
): Promise<{ header: string; key: Buffer }> {
  const options = { salt: salt.toString('base64'), cost: COST }
  const { check, key } = await keysOf(passphrase, options)
  const fields = { formatVersion: FORMAT_VERSION, writtenBy: packageVersion(), ...options, check }
  return { header: `${MAGIC}${JSON.stringify(fields).slice(1)}`, key }
}

/**
 * Derives the key of a bundle from its header and second line.
 * @throws {VplaneError} `FAILED` when the header is damaged, of a newer format, or the passphrase is wrong.
 */
export async function openHeader(
  [header, sum]: readonly [string, string],
  { passphrase, source }: { passphrase: string; source: string },
): Promise<Buffer> {
  if (sumOf(header) !== sum) {
    throw new VplaneError('FAILED', `${source} is damaged: its first line is not what was written`)
  }
  const value = parseStored(header, { source, formatVersion: FORMAT_VERSION }, isHeader)
  const { check, key } = await keysOf(passphrase, value)
  const [expected, actual] = [Buffer.from(value.check), Buffer.from(check)]
  if (expected.length !== actual.length || !timingSafeEqual(expected, actual)) {
    throw new VplaneError('FAILED', `the passphrase is not that of ${source}`, {
      hints: [{ passphraseFile: 'FILE' }, 'export VPLANE_PASSPHRASE'],
    })
  }
  return key
}

/** The second line of a bundle with this header. */
export function sumOf(header: string): string {
  return createHash('sha256').update(header).digest('hex')
}

/** The nonce of a chunk, which is unique among the chunks of one key. */
export function nonceOf(index: number, isLast: boolean): Buffer {
  const nonce = Buffer.alloc(12)
  nonce.writeUInt32BE(index, 7)
  nonce.writeUInt8(isLast ? 1 : 0, 11)
  return nonce
}

async function keysOf(
  passphrase: string,
  { cost, salt }: Pick<BundleHeader, 'salt' | 'cost'>,
): Promise<{ key: Buffer; check: string }> {
  const derive = promisify<string, Buffer, number, object, Buffer>(scrypt)
  const options = { ...cost, maxmem: MAX_MEMORY }
  const bytes = await derive(passphrase.normalize('NFKC'), Buffer.from(salt, 'base64'), 64, options)
  return { key: bytes.subarray(0, 32), check: sumOf(bytes.subarray(32).toString('hex')) }
}

function isHeader(value: unknown): value is BundleHeader {
  return (
    hasFields(value, { salt: 'string', cost: 'object', check: 'string' }) &&
    isDeepStrictEqual(fieldAt(value, 'cost'), COST)
  )
}
