import { createReadStream, createWriteStream } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { PassThrough } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createInflateRaw } from 'node:zlib'

// The parts of a zip archive that are read here, by the numbers of APPNOTE.TXT.
const END_SIGNATURE = 0x06054b50
const END_SIZE = 22
const ENTRY_SIGNATURE = 0x02014b50
const ENTRY_SIZE = 46
const LOCAL_SIZE = 30
const MAX_COMMENT = 0xffff
const DEFLATED = 8

interface ZipEntry {
  name: string
  method: number
  compressedSize: number
  offset: number
}

/** Writes entries of a zip archive, by their exact names, to files of their own; returns the names that were found. */
export async function unzip(
  archive: string,
  targets: ReadonlyMap<string, string>,
): Promise<string[]> {
  await using file = await open(archive)
  const found: string[] = []
  for (const entry of await readDirectory(file)) {
    const target = targets.get(entry.name)
    if (target !== undefined) {
      await extract(archive, entry, { start: await dataOffset(file, entry), target })
      found.push(entry.name)
    }
  }
  return found
}

async function readDirectory(file: FileHandle): Promise<ZipEntry[]> {
  const { size } = await file.stat()
  const tailSize = Math.min(size, END_SIZE + MAX_COMMENT)
  const tail = await readAt(file, size - tailSize, tailSize)
  let end = tail.length - END_SIZE
  while (end >= 0 && tail.readUInt32LE(end) !== END_SIGNATURE) {
    end -= 1
  }
  if (end < 0) {
    throw new Error('the archive is not a zip archive')
  }
  const directory = await readAt(file, tail.readUInt32LE(end + 16), tail.readUInt32LE(end + 12))
  return [...entriesOf(directory)]
}

function* entriesOf(directory: Buffer): Generator<ZipEntry> {
  for (let at = 0; at + ENTRY_SIZE <= directory.length;) {
    if (directory.readUInt32LE(at) !== ENTRY_SIGNATURE) {
      throw new Error('the directory of the zip archive is damaged')
    }
    const nameEnd = at + ENTRY_SIZE + directory.readUInt16LE(at + 28)
    yield {
      name: directory.toString('utf8', at + ENTRY_SIZE, nameEnd),
      method: directory.readUInt16LE(at + 10),
      compressedSize: directory.readUInt32LE(at + 20),
      offset: directory.readUInt32LE(at + 42),
    }
    at = nameEnd + directory.readUInt16LE(at + 30) + directory.readUInt16LE(at + 32)
  }
}

/** The local header repeats the name and may have other extra fields than the directory. */
async function dataOffset(file: FileHandle, { offset }: ZipEntry): Promise<number> {
  const header = await readAt(file, offset, LOCAL_SIZE)
  return offset + LOCAL_SIZE + header.readUInt16LE(26) + header.readUInt16LE(28)
}

async function extract(
  archive: string,
  { compressedSize, method }: ZipEntry,
  { start, target }: { start: number; target: string },
): Promise<void> {
  await pipeline(
    createReadStream(archive, { start, end: start + compressedSize - 1 }),
    method === DEFLATED ? createInflateRaw() : new PassThrough(),
    createWriteStream(target, { mode: 0o600 }),
  )
}

async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, position)
  if (bytesRead < length) {
    throw new Error('the zip archive is cut off')
  }
  return buffer
}
