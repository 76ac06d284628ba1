import { createHash, scrypt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { VplaneError } from '../../shared/errors.ts'
import { packageVersion } from '../../shared/package-root.ts'
import { damaged, hasFields, parseStored } from '../../shared/stored-format.ts'
import { fieldAt } from '../../shared/json-fields.ts'

/*
 * A sealed bundle is two lines and then chunks. The first line is the header: how the key comes from the passphrase. The
 * second is the SHA-256 of the first, so that damage there is told from a wrong passphrase. Each chunk is AES-256-GCM over
 * at most CHUNK_BYTES, followed by its tag; its nonce counts, and says whether it is the last, so that none can be left
 * out, moved or cut off (STREAM, eprint.iacr.org/2015/189). The header is authenticated with each.
 */

/** The format this vplane writes; readers take all older ones. */
const FORMAT_VERSION = 1

/** Begins every bundle: no snapshot of etcd does. */
export const MAGIC = '{"format":"vplane-bundle",'

export const CHUNK_BYTES = 64 * 1024
export const TAG_BYTES = 16

/** 128 MiB and about a third of a second for each guess (RFC 7914). */
const COST = { N: 2 ** 17, r: 8, p: 1 }
/** What a header may ask for at most: it is read before anybody knows who wrote it. */
const MAX_MEMORY = 1024 ** 3

/** How the keys of one bundle come from its passphrase. */
export interface BundleHeader {
  formatVersion: number
  writtenBy: string
  salt: string
  cost: typeof COST
  /** Tells a wrong passphrase at once. */
  check: string
}

/** The keys of one bundle. */
interface BundleKeys {
  key: Buffer
  check: string
}

/** The header of a new bundle with its key. */
export async function createHeader(
  passphrase: string,
  salt: Buffer,
): Promise<{ header: string; key: Buffer }> {
  const { check, key } = await keysOf(passphrase, { salt: salt.toString('base64'), cost: COST })
  const fields = {
    formatVersion: FORMAT_VERSION,
    writtenBy: packageVersion(),
    salt: salt.toString('base64'),
    cost: COST,
    check,
  }
  return { header: `${MAGIC}${JSON.stringify(fields).slice(1)}`, key }
}

/**
 * The key of a bundle by its header and the line after that.
 *
 * @throws {VplaneError} `FAILED` when the header is damaged, of a newer format, or the passphrase is wrong.
 */
export async function openHeader(
  [header, sum]: readonly [string, string],
  { passphrase, source }: { passphrase: string; source: string },
): Promise<Buffer> {
  if (sumOf(header) !== sum) {
    throw new VplaneError('FAILED', `${source} is damaged: its first line is not what was written`)
  }
  const value = parseStored(header, { source, formatVersion: FORMAT_VERSION })
  if (!isHeader(value)) {
    throw damaged({ source })
  }
  const { check, key } = await keysOf(passphrase, value)
  const [wanted, found] = [Buffer.from(value.check), Buffer.from(check)]
  if (wanted.length !== found.length || !timingSafeEqual(wanted, found)) {
    throw new VplaneError('FAILED', `the passphrase is not that of ${source}`, {
      hints: [{ passphraseFile: 'FILE' }, 'export VPLANE_PASSPHRASE'],
    })
  }
  return key
}

export function sumOf(header: string): string {
  return createHash('sha256').update(header).digest('hex')
}

/** The nonce of a chunk; no two chunks of one key have the same. */
export function nonceOf(index: number, isLast: boolean): Buffer {
  const nonce = Buffer.alloc(12)
  nonce.writeUInt32BE(index, 7)
  nonce.writeUInt8(isLast ? 1 : 0, 11)
  return nonce
}

async function keysOf(
  passphrase: string,
  { cost, salt }: Pick<BundleHeader, 'salt' | 'cost'>,
): Promise<BundleKeys> {
  const derive = promisify<string, Buffer, number, object, Buffer>(scrypt)
  const options = { ...cost, maxmem: MAX_MEMORY }
  const bytes = await derive(passphrase.normalize('NFKC'), Buffer.from(salt, 'base64'), 64, options)
  return { key: bytes.subarray(0, 32), check: sumOf(bytes.subarray(32).toString('hex')) }
}

function isHeader(value: unknown): value is BundleHeader {
  return (
    hasFields(value, { salt: 'string', cost: 'object', check: 'string' }) &&
    hasFields(fieldAt(value, 'cost'), { N: 'number', r: 'number', p: 'number' })
  )
}
