import { statSync } from 'node:fs'
import { toFolderError } from '../../../../shared/files/folder-error.ts'

/** @throws {VplaneError} `FAILED` when this user may not read the folder of the file. */
export function isExecutable(path: string): boolean {
  try {
    const stat = statSync(path, { throwIfNoEntry: false })
    return stat !== undefined && stat.isFile() && stat.size > 0 && (stat.mode & 0o111) !== 0
  } catch (error) {
    throw toFolderError(error, path, { task: 'read' })
  }
}
