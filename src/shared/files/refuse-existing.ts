import { existsSync, lstatSync, type Stats } from 'node:fs'
import { dirname } from 'node:path'
import { reasonOf, VplaneError } from '../errors.ts'
import { shellWord } from '../text/shell-word.ts'

/**
 * Refuses to write a file that exists, unless it may be overwritten, and a file that cannot be written: before the work of
 * which it is the result.
 *
 * @throws {VplaneError} `CONFLICT` naming the file, `USAGE` when it is a folder or its folder does not exist, `FAILED` when
 *   it cannot be checked.
 */
export function refuseExisting(path: string, { force }: { force: boolean }): void {
  const found = statusOf(path)
  const folder = dirname(path)
  if (found?.isDirectory() === true) {
    throw new VplaneError('USAGE', `cannot write "${path}": it is a folder`)
  }
  if (found === undefined && !existsSync(folder)) {
    throw new VplaneError('USAGE', `cannot write "${path}": its folder does not exist`, {
      hints: [`mkdir -p ${shellWord(folder)}`],
    })
  }
  if (found !== undefined && !force) {
    throw new VplaneError('CONFLICT', `"${path}" exists`, {
      hints: [{ purpose: 'to overwrite it', force: true }],
    })
  }
}

/** A symbolic link counts as well: it would be replaced. */
function statusOf(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false })
  } catch (cause) {
    throw new VplaneError('FAILED', `cannot write "${path}": ${reasonOf(cause)}`, { cause })
  }
}
