import { readFile, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { hasErrorCode } from '../../../../shared/errors.ts'
import { writeFile } from '../../../../shared/files/write-file.ts'
import { toStorageError } from '../cache/storage-error.ts'
import { fieldAt } from '../../../../shared/json-fields.ts'

const FORMAT_VERSION = 1

/** What is there of a download that was cut off. */
export interface PartialDownload {
  size: number
  /** Tells whether the server still has the same file, for `If-Range`. */
  validator: string
}

/** The file beside a partial one that says what it is a part of. */
function notePath(partial: string): string {
  return `${partial}.json`
}

/** Notes that `partial` is going to hold a part of `url`; nothing is noted when the server cannot go on with it. */
export async function notePartial(
  partial: string,
  url: string,
  validator: string | undefined,
): Promise<void> {
  await rm(notePath(partial), { force: true })
  if (validator !== undefined) {
    const note = { formatVersion: FORMAT_VERSION, url, validator }
    await writeFile(notePath(partial), `${JSON.stringify(note)}\n`)
  }
}

/** What is there of a download of `url`; undefined when it must begin at the start. */
export async function readPartial(
  partial: string,
  url: string,
): Promise<PartialDownload | undefined> {
  try {
    const { size } = await stat(partial)
    const note: unknown = JSON.parse(await readFile(notePath(partial), 'utf8'))
    const validator = fieldAt(note, 'validator')
    const isOurs = fieldAt(note, 'formatVersion') === FORMAT_VERSION && fieldAt(note, 'url') === url
    return isOurs && typeof validator === 'string' && size > 0 ? { size, validator } : undefined
  } catch (error) {
    if (hasErrorCode(error, 'ENOENT') || error instanceof SyntaxError) {
      return undefined
    }
    throw toStorageError(error, dirname(partial)) ?? error
  }
}

/** Removes a partial download and its note. */
export async function removePartial(partial: string): Promise<void> {
  await rm(partial, { force: true })
  await rm(notePath(partial), { force: true })
}
