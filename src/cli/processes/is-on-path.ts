import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, join, sep } from 'node:path'
import { VplaneError } from '../../shared/errors.ts'
import type { Environment } from '../../shared/environment.ts'

/** Whether a command can be run: a path of an executable file, or the name of one in a folder of PATH. */
export function isOnPath(command: string, environment: Environment): boolean {
  const file = process.platform === 'win32' ? `${command.replace(/\.exe$/, '')}.exe` : command
  if (command.includes('/') || command.includes(sep)) {
    return isExecutableFile(command)
  }
  const folders = (environment['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '')
  return folders.some((folder) => isExecutableFile(join(folder, file)))
}

/** The error for a command that `isOnPath` does not find. */
export function commandNotFound(command: string, cause?: unknown): VplaneError {
  return new VplaneError('COMMAND_NOT_FOUND', `command "${command}" not found on PATH`, { cause })
}

function isExecutableFile(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    // The next folder may have it.
    return false
  }
}
