import { lstatSync } from 'node:fs'
import { hasErrorCode, messageOf, VplaneError } from '../errors.ts'

/** @throws {VplaneError} `CONFLICT` when the file exists, unless forced, `FAILED` when it cannot be checked. */
export function refuseExisting(path: string, { force }: { force: boolean }): void {
  if (!force && exists(path)) {
    throw new VplaneError('CONFLICT', `"${path}" exists`, {
      hints: [{ purpose: 'to overwrite it', force: true }],
    })
  }
}

/** A symbolic link counts as well: it would be replaced. */
function exists(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined
  } catch (cause) {
    if (hasErrorCode(cause, 'ENOTDIR')) {
      return false
    }
    throw new VplaneError('FAILED', `cannot write "${path}": ${messageOf(cause)}`, { cause })
  }
}
