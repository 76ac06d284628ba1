import { COMPONENT_NAMES, type ComponentName } from '../../../control-plane/plane.ts'
import type { PlaneFolder } from '../store/plane-folder.ts'
import type { ProcessIdentity } from '../../../shared/processes/end-processes.ts'
import {
  isAlive,
  type ProcessRecord,
  readProcessRecord,
} from '../../../shared/processes/process-record.ts'
import type { ProcessTable } from '../../../shared/processes/process-table.ts'

/** The living processes of a plane, by component, as written down. */
export function runningComponents(
  folder: PlaneFolder,
  table: ProcessTable,
): Map<ComponentName, ProcessRecord> {
  return new Map(
    COMPONENT_NAMES.flatMap((name) => {
      const record = readProcessRecord(folder.processOf(name))
      return isAlive(record, table) ? [[name, record] as const] : []
    }),
  )
}

/**
 * Every living process of a plane, written down or not: a vplane that was killed between starting a process and writing
 * it down leaves one that only its flags tell, as they name files in the plane's folder.
 */
export function findPlaneProcesses(folder: PlaneFolder, table: ProcessTable): ProcessIdentity[] {
  return table.findByArgument(`${folder.root}/`).flatMap((processId) => {
    const startTime = table.startTimeOf(processId)
    return startTime === undefined ? [] : [{ processId, startTime }]
  })
}
