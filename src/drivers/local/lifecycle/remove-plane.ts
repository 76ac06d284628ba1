import { existsSync } from 'node:fs'
import type { Leftover } from '../../../control-plane/driver/driver.ts'
import type { Operation } from '../../../control-plane/driver/operation.ts'
import { VplaneError } from '../../../shared/errors.ts'
import { endProcesses } from '../../../shared/processes/end-processes.ts'
import type { ProcessTable } from '../../../shared/processes/process-table.ts'
import { findPlaneProcesses } from '../components/running-components.ts'
import type { PlaneStore } from '../store/plane-store.ts'

/** Kills a plane's processes and removes its folder, then looks whether both are gone. */
export async function removePlane(
  { store, table }: { store: PlaneStore; table: ProcessTable },
  name: string,
  { signal, ui }: Operation,
): Promise<Leftover[]> {
  const folder = store.folder(name)
  ui.step(`Removing "${name}"`)
  // Its data goes with it: there is nothing that a slow end would save.
  await endProcesses(findPlaneProcesses(folder, table), { table, signal, graceMs: 0 }).catch(
    (error: unknown) => {
      if (!(error instanceof VplaneError) || error.code !== 'TIMED_OUT') {
        throw error
      }
      // Said below, with what else is left.
    },
  )
  await store.remove(name)
  const processes = findPlaneProcesses(folder, table).map(({ processId }) => ({
    what: `process ${processId}`,
    why: 'it did not end when it was killed',
  }))
  const files = existsSync(folder.root)
    ? [{ what: folder.root, why: 'something wrote into it while it was removed' }]
    : []
  return [...processes, ...files]
}
