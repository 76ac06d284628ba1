import { buffer } from 'node:stream/consumers'
import { createGzip } from 'node:zlib'
import { pack } from 'tar-stream'

export interface ArchivedFile {
  /** Its path in the archive, with `/`. */
  path: string
  text: string
}

/** The bytes of a `.tar.gz` that holds files, readable by their owner alone, all in one folder. */
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
