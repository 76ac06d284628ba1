import { open, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { hasErrorCode } from '../../shared/errors.ts'
import { makeFolder } from '../../shared/files/make-folder.ts'
import type { Blobs } from './blobs.ts'
import { writeStreamFile } from '../streams/write-stream-file.ts'

/** The files that a killed `writeStreamFile` leaves: `.dev-20260102-030405-1a2b.data.12345678.part`. */
const PARTIAL = /^\.(.+)\.[0-9a-f]{8}\.part$/

/** Blobs as the files of a folder, which the first write creates. */
export function fileBlobs(folder: string): Blobs {
  const list = () => unlessMissing(readdir(folder), [])
  const remove = (name: string) => rm(join(folder, name), { force: true })
  return {
    locationOf: (name) => join(folder, name),
    write: async (name, bytes) => {
      makeFolder(folder)
      await writeStreamFile(join(folder, name), bytes)
    },
    read: async (name) => {
      const file = await unlessMissing(open(join(folder, name)), undefined)
      return file?.createReadStream()
    },
    list,
    remove,
    removePartial: async (matches) => {
      const partial = (await list()).filter((file) => matches(PARTIAL.exec(file)?.[1] ?? ''))
      await Promise.all(partial.map(remove))
    },
  }
}

async function unlessMissing<T, U>(answer: Promise<T>, otherwise: U): Promise<T | U> {
  try {
    return await answer
  } catch (error) {
    if (hasErrorCode(error, 'ENOENT') || hasErrorCode(error, 'ENOTDIR')) {
      return otherwise
    }
    throw error
  }
}
