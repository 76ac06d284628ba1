import { inflateRawSync } from 'node:zlib'

// Parts of a zip archive, from APPNOTE.TXT.
const END_SIGNATURE = Buffer.from('PK\x05\x06')
const ENTRY_SIGNATURE = 0x02014b50
const ENTRY_SIZE = 46
const LOCAL_SIZE = 30
const DEFLATED = 8

/** Files by their paths, without missing ones. @throws {Error} when the archive is damaged. */
export function unzip(archive: Buffer, names: readonly string[]): Map<string, Buffer> {
  const end = archive.lastIndexOf(END_SIGNATURE)
  if (end === -1) {
    throw new Error('the archive is not a zip archive')
  }
  const found = new Map<string, Buffer>()
  let at = archive.readUInt32LE(end + 16)
  while (at < end && archive.readUInt32LE(at) === ENTRY_SIGNATURE) {
    const nameEnd = at + ENTRY_SIZE + archive.readUInt16LE(at + 28)
    const name = archive.toString('utf8', at + ENTRY_SIZE, nameEnd)
    if (names.includes(name)) {
      found.set(name, contentOf(archive, at))
    }
    at = nameEnd + archive.readUInt16LE(at + 30) + archive.readUInt16LE(at + 32)
  }
  return found
}

function contentOf(archive: Buffer, entry: number): Buffer {
  const local = archive.readUInt32LE(entry + 42)
  // The local header repeats the name, and may have other extra fields than the directory.
  const nameAndExtra = archive.readUInt16LE(local + 26) + archive.readUInt16LE(local + 28)
  const start = local + LOCAL_SIZE + nameAndExtra
  const data = archive.subarray(start, start + archive.readUInt32LE(entry + 20))
  return archive.readUInt16LE(entry + 10) === DEFLATED ? inflateRawSync(data) : data
}
