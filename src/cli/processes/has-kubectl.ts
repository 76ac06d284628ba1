import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import type { Environment } from '../../shared/environment.ts'

/** Tells whether there is a kubectl on PATH. */
export function hasKubectl(environment: Environment): boolean {
  const file = process.platform === 'win32' ? 'kubectl.exe' : 'kubectl'
  const folders = (environment['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '')
  return folders.some((folder) => isExecutableFile(join(folder, file)))
}

function isExecutableFile(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    // Not there: the next folder may have it.
    return false
  }
}
