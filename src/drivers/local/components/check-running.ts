import type { ComponentName } from '../../../control-plane/plane/plane.ts'
import { VplaneError } from '../../../shared/errors.ts'
import type { ProcessTable } from '../../../shared/processes/process-table.ts'
import { lastWords } from '../logs/last-words.ts'
import type { PlaneFolder } from '../store/plane-folder.ts'
import { runningComponents } from './running-components.ts'

const LINES = 8

/**
 * Returns when all of these components run.
 *
 * @throws {VplaneError} `COMPONENT_FAILED` for the first that does not, with the last lines of its log.
 */
export async function checkRunning(
  { folder, name, table }: { name: string; folder: PlaneFolder; table: ProcessTable },
  components: readonly ComponentName[],
): Promise<void> {
  const running = runningComponents(folder, table)
  const dead = components.find((component) => !running.has(component))
  if (dead !== undefined) {
    throw await componentFailure(name, dead, folder.logOf(dead))
  }
}

/** The error for a component that has ended, with the last lines it wrote. */
async function componentFailure(
  plane: string,
  component: ComponentName,
  log: string,
): Promise<VplaneError> {
  const lines = await lastWords(log, LINES)
  const said =
    lines.length === 0
      ? 'it wrote nothing'
      : `its last lines:\n${lines.map((line) => `  ${line}`).join('\n')}`
  return new VplaneError('COMPONENT_FAILED', `${component} of "${plane}" has ended; ${said}`, {
    hints: [
      { action: 'logs', plane: { name: plane }, what: component },
      { action: 'examine-machine' },
    ],
  })
}
