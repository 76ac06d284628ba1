import { VplaneError } from '../errors.ts'
import { darwinProcessTable } from './darwin-process-table.ts'
import { linuxProcessTable } from './linux-process-table.ts'
import type { ProcessTable } from './process-table.ts'
import { windowsProcessTable } from './windows-process-table.ts'

/** @throws {VplaneError} `UNSUPPORTED` on platforms that vplane does not know. */
export function processTableOf(platform: NodeJS.Platform): ProcessTable {
  if (platform === 'linux') {
    return linuxProcessTable()
  }
  if (platform === 'darwin') {
    return darwinProcessTable()
  }
  if (platform === 'win32') {
    return windowsProcessTable()
  }
  throw new VplaneError('UNSUPPORTED', `vplane does not run on "${platform}"`)
}
