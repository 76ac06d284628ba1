import { existsSync } from 'node:fs'
import type { Leftover } from '../../../control-plane/driver/driver.ts'
import type { Operation } from '../../../control-plane/driver/operation.ts'
import { VplaneError } from '../../../shared/errors.ts'
import { endProcesses } from '../../../shared/processes/end-processes.ts'
import { findPlaneProcesses } from '../components/running-components.ts'
import type { PlaneContext } from '../components/start-context.ts'

/** Kills a plane's processes and removes its folder. Returns what is left. */
export async function removePlane(
  { store, table }: PlaneContext,
  name: string,
  { signal, ui }: Operation,
): Promise<Leftover[]> {
  const folder = store.folder(name)
  ui.step(`Removing "${name}"`)
  // Killed at once, since its data is removed too.
  await endProcesses(findPlaneProcesses(folder, table), { table, signal, graceMs: 0 }).catch(
    (error: unknown) => {
      if (!(error instanceof VplaneError) || error.code !== 'TIMED_OUT') {
        throw error
      }
      // Returned below as a leftover.
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
