import { createReadStream } from 'node:fs'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import { extract, pack } from 'tar-stream'

export interface ArchivedFile {
  /** Its path in the archive, with `/`. */
  path: string
  text: string
}

/** The bytes of a `.tar.gz` with files in one folder, readable by their owner alone. */
export async function tarGz(
  folder: string,
  files: readonly ArchivedFile[],
  modifiedAt: Date,
): Promise<Buffer> {
  const archive = pack()
  for (const { path, text } of files) {
    archive.entry({ name: `${folder}/${path}`, mode: 0o600, mtime: modifiedAt }, text)
  }
  archive.finalize()
  return await buffer(archive.pipe(createGzip()))
}

/** Those of the named files that a `.tar.gz` has. @throws {Error} when it is truncated, or not such an archive. */
export async function untarGz(
  archive: string,
  names: readonly string[],
): Promise<Map<string, Buffer>> {
  const entries = extract()
  const read = async () => {
    const found = new Map<string, Buffer>()
    for await (const entry of entries) {
      const { name, type } = entry.header
      if (type === 'file' && names.includes(name)) {
        found.set(name, await buffer(entry))
      } else {
        entry.resume()
      }
    }
    return found
  }
  const unpacking = pipeline(createReadStream(archive), createGunzip(), entries)
  const [found] = await Promise.all([read(), unpacking])
  return found
}
