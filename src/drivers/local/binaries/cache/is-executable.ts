import { statSync } from 'node:fs'
import { dirname } from 'node:path'
import { messageOf, VplaneError } from '../../../../shared/errors.ts'

/** @throws {VplaneError} `FAILED` when this user may not read the folder of the file. */
export function isExecutable(path: string): boolean {
  try {
    const stat = statSync(path, { throwIfNoEntry: false })
    return stat !== undefined && stat.isFile() && stat.size > 0 && (stat.mode & 0o111) !== 0
  } catch (error) {
    throw new VplaneError('FAILED', `cannot read "${path}": ${messageOf(error)}`, {
      hints: [`ls -ld ${dirname(path)}`],
      cause: error,
    })
  }
}
