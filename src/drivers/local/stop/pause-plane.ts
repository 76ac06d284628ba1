import type { Operation } from '../../../control-plane/driver.ts'
import { COMPONENT_NAMES } from '../../../control-plane/plane.ts'
import { endProcesses } from '../../../shared/processes/end-processes.ts'
import { removeProcessRecord } from '../../../shared/processes/process-record.ts'
import type { ProcessTable } from '../../../shared/processes/process-table.ts'
import { findPlaneProcesses, runningComponents } from '../start/running-components.ts'
import type { PlaneRecord } from '../store/plane-record.ts'
import type { PlaneStore } from '../store/plane-store.ts'

/** Time for one component to end by itself: kube-apiserver finishes the requests it has. */
const GRACE_MS = 15_000

/** Records that a plane is to rest, then ends its components, the last to start first. Its data stays. */
export async function pausePlane(
  { store, table }: { store: PlaneStore; table: ProcessTable },
  record: PlaneRecord,
  { signal, ui }: Operation,
): Promise<void> {
  const folder = store.folder(record.name)
  await store.update({ ...record, desired: 'paused' })
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
