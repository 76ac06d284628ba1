import { lstat, mkdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { hasErrorCode, reasonOf, VplaneError } from '../../shared/errors.ts'

/** The folder of planes that processes of this user start, separate from those of the command line. */
export function libraryRoot(temporaryFolder: string = tmpdir()): string {
  return join(resolve(temporaryFolder), `vplane-${userId()}`)
}

/**
 * Creates a folder for this user alone, or checks that it is one: another user may have created it before.
 * @throws {VplaneError} `FAILED` when it cannot be created, or other users may read or change it.
 */
export async function ensurePrivateFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: 0o700 })
  } catch (error) {
    if (!hasErrorCode(error, 'EEXIST')) {
      throw new VplaneError('FAILED', `cannot create ${path}: ${reasonOf(error)}`, {
        hints: ['set TMPDIR to a writable folder'],
        cause: error,
      })
    }
  }
  const found = await lstat(path)
  const flaw = [
    !found.isDirectory() && 'it is not a folder',
    found.uid !== userId() && 'it belongs to another user',
    (found.mode & 0o077) !== 0 && 'other users may access it',
  ].find((reason) => reason !== false)
  if (flaw !== undefined) {
    throw new VplaneError('FAILED', `cannot store control planes in ${path}: ${flaw}`, {
      hints: [`ls -ld ${path}`, 'remove it, or set TMPDIR to another folder'],
    })
  }
}

/** The id, as a user in a container may have no name. */
function userId(): number | undefined {
  return process.getuid?.()
}
