import { open, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { hasErrorCode } from '../shared/errors.ts'
import { makeFolder } from '../shared/make-folder.ts'
import type { Blobs } from './blobs.ts'
import { writeStreamFile } from './write-stream-file.ts'

/** The files of a folder, which is made when the first is written. */
export function fileBlobs(folder: string): Blobs {
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
    list: async () => await unlessMissing(readdir(folder), []),
    remove: async (name) => rm(join(folder, name), { force: true }),
  }
}

async function unlessMissing<T, U>(answer: Promise<T>, otherwise: U): Promise<T | U> {
  try {
    return await answer
  } catch (error) {
    if (hasErrorCode(error, 'ENOENT')) {
      return otherwise
    }
    throw error
  }
}
