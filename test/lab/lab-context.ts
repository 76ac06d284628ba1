import type { Environment } from '../../src/shared/environment.ts'
import { processEnvironment } from '../../src/shared/environment.ts'
import { pathsOf } from '../../src/shared/paths.ts'
import type { Ui } from '../../src/shared/ui.ts'
import { type LabFolder, labFolder } from './lab-folder.ts'

/** What the lab needs of its surroundings. */
export interface LabContext {
  folder: LabFolder
  environment: Environment
  ui: Ui
  signal: AbortSignal
}

/** The lab of this user on this machine. */
export function labContext(ui: Ui, signal: AbortSignal): LabContext {
  const environment = processEnvironment()
  return { folder: labFolder(pathsOf(environment).cache), environment, ui, signal }
}
