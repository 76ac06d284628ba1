import type { Operation } from '../../../control-plane/driver/operation.ts'
import { COMPONENT_NAMES } from '../../../control-plane/plane/plane.ts'
import { endProcesses } from '../../../shared/processes/end-processes.ts'
import { removeProcessRecord } from '../../../shared/processes/launch/process-record.ts'
import type { ProcessTable } from '../../../shared/processes/process-table.ts'
import { findPlaneProcesses, runningComponents } from './running-components.ts'
import type { PlaneFolder } from '../store/plane-folder.ts'

/** Time for one component to end by itself: kube-apiserver finishes the requests it has. */
const GRACE_MS = 15_000

/** Ends the components of a plane, the last to start first, and processes that nobody wrote down. */
export async function stopComponents(
  { folder, table }: { folder: PlaneFolder; table: ProcessTable },
  { signal, ui }: Operation,
): Promise<void> {
  for (const component of COMPONENT_NAMES.toReversed()) {
    const running = runningComponents(folder, table).get(component)
    if (running !== undefined) {
      ui.step(`Stopping ${component}`)
      await endProcesses([running], { table, signal, graceMs: GRACE_MS })
    }
    await removeProcessRecord(folder.processOf(component))
  }
  await endProcesses(findPlaneProcesses(folder, table), { table, signal, graceMs: 0 })
}
