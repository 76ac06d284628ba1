import { existsSync } from 'node:fs'
import type { Leftover, RemoveOptions } from '../../../control-plane/driver/driver.ts'
import type { Operation } from '../../../control-plane/driver/operation.ts'
import { VplaneError } from '../../../shared/errors.ts'
import { endProcesses } from '../../../shared/processes/end-processes.ts'
import { leftDatabase, openForRemoval } from './plane-database.ts'
import { findPlaneProcesses } from '../components/running-components.ts'
import type { PlaneContext } from '../components/start-context.ts'

/**
 * Kills a plane's processes, and removes its database and its folder. Returns what is left.
 * @throws {VplaneError} `UNREACHABLE` or `FAILED` when its database cannot be deleted.
 */
export async function removePlane(
  { store, table }: PlaneContext,
  name: string,
  { leaveData = false, signal, ui }: Operation & Pick<RemoveOptions, 'leaveData'>,
): Promise<Leftover[]> {
  const folder = store.folder(name)
  ui.step(`Removing "${name}"`)
  // Before anything is stopped, so that the plane stays as it is without its server.
  await using database = leaveData ? undefined : await openForRemoval(folder, name)
  const left = leaveData ? await leftDatabase(folder) : []
  // Killed at once, since its data is removed too.
  await endProcesses(findPlaneProcesses(folder, table), { table, signal, graceMs: 0 }).catch(
    (error: unknown) => {
      if (!(error instanceof VplaneError) || error.code !== 'TIMED_OUT') {
        throw error
      }
      // Returned below as a leftover.
    },
  )
  await database?.drop()
  await store.remove(name)
  const processes = findPlaneProcesses(folder, table).map(({ processId }) => ({
    what: `process ${processId}`,
    why: 'it did not end when it was killed',
  }))
  const files = existsSync(folder.root)
    ? [{ what: folder.root, why: 'something wrote into it while it was removed' }]
    : []
  return [...left, ...processes, ...files]
}
