import { lstat, mkdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { hasErrorCode, messageOf, VplaneError } from '../../shared/errors.ts'

/** The folder for the planes that processes of this user start: apart from the planes of the command line. */
export function libraryRoot(temporaryFolder: string = tmpdir()): string {
  return join(resolve(temporaryFolder), `vplane-${userId()}`)
}

/**
 * Makes a folder that only this user can look into, or checks the one that is there: in a temporary folder anybody can
 * put something in its place before.
 *
 * @throws {VplaneError} `FAILED` when it cannot be made, or others may read or change it.
 */
export async function ensurePrivateFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: 0o700 })
  } catch (error) {
    if (!hasErrorCode(error, 'EEXIST')) {
      throw new VplaneError('FAILED', `cannot make ${path}: ${messageOf(error)}`, {
        hints: ['set TMPDIR to a folder that can be written'],
        cause: error,
      })
    }
  }
  const found = await lstat(path)
  const flaw = [
    !found.isDirectory() && 'it is not a folder',
    found.uid !== userId() && 'it belongs to another user',
    (found.mode & 0o077) !== 0 && 'others than its owner may use it',
  ].find((reason) => reason !== false)
  if (flaw !== undefined) {
    throw new VplaneError('FAILED', `cannot keep control planes in ${path}: ${flaw}`, {
      hints: [`ls -ld ${path}`, 'remove it, or set TMPDIR to another folder'],
    })
  }
}

/** Not by name: in a container a user may have none. */
function userId(): number | undefined {
  return process.getuid?.()
}
