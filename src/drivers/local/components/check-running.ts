import type { ComponentName } from '../../../control-plane/plane/plane.ts'
import type { ProcessTable } from '../../../shared/processes/process-table.ts'
import type { PlaneFolder } from '../store/plane-folder.ts'
import { componentFailure } from './component-failure.ts'
import { runningComponents } from './running-components.ts'

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
