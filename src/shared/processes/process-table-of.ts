import { VplaneError } from '../errors.ts'
import { darwinProcessTable } from './darwin-process-table.ts'
import { linuxProcessTable } from './linux-process-table.ts'
import type { ProcessTable } from './process-table.ts'

/**
 * The process table of a platform.
 *
 * @throws {VplaneError} `UNSUPPORTED` on Windows, where the local driver runs in WSL 2.
 */
export function processTableOf(platform: NodeJS.Platform): ProcessTable {
  if (platform === 'linux') {
    return linuxProcessTable()
  }
  if (platform === 'darwin') {
    return darwinProcessTable()
  }
  throw new VplaneError('UNSUPPORTED', `the local driver does not run on "${platform}"`, {
    hints: ['on Windows use WSL 2: https://learn.microsoft.com/windows/wsl/install'],
  })
}
