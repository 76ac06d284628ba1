import { COMPONENT_NAMES, type ComponentName } from '../../../control-plane/plane/plane.ts'
import type { ProcessTable } from '../../../shared/processes/process-table.ts'
import { componentChecksum } from '../components/component-checksum.ts'
import { runningComponents } from '../components/running-components.ts'
import type { PlaneFolder } from '../store/plane-folder.ts'
import type { PlaneRecord } from '../store/plane-record.ts'

/** The components of a plane that run otherwise than its record says. */
export function staleComponents(
  record: PlaneRecord,
  folder: PlaneFolder,
  table: ProcessTable,
): ComponentName[] {
  const running = runningComponents(folder, table)
  return COMPONENT_NAMES.filter((name) => {
    const process = running.get(name)
    return process !== undefined && process.checksum !== componentChecksum(name, record, folder)
  })
}
