import type { ComponentName } from '../../../control-plane/plane/plane.ts'
import { VplaneError } from '../../../shared/errors.ts'
import { lastWords } from '../logs/read-log.ts'
import { runningComponents } from './running-components.ts'
import type { PlaneContext } from './start-context.ts'

const LINES = 8

/**
 * Returns when all of these components run.
 *
 * @throws {VplaneError} `COMPONENT_FAILED` for the first that does not, with the last lines of its log.
 */
export async function checkRunning(
  { store, table }: PlaneContext,
  name: string,
  components: readonly ComponentName[],
): Promise<void> {
  const folder = store.folder(name)
  const running = runningComponents(folder, table)
  const dead = components.find((component) => !running.has(component))
  if (dead === undefined) {
    return
  }
  const lines = await lastWords(folder.logOf(dead), LINES)
  const output =
    lines.length === 0
      ? 'it wrote nothing'
      : `its last lines:\n${lines.map((line) => `  ${line}`).join('\n')}`
  throw new VplaneError('COMPONENT_FAILED', `${dead} of "${name}" has ended; ${output}`, {
    hints: [{ action: 'logs', plane: { name }, what: dead }, { action: 'examine-machine' }],
  })
}
