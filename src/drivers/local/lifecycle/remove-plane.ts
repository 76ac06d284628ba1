import { existsSync } from 'node:fs'
import type { Leftover, RemoveOptions } from '../../../control-plane/driver/driver.ts'
import type { Operation } from '../../../control-plane/driver/operation.ts'
import type { SharedEtcd } from '../../../etcd/shared/shared-etcd.ts'
import { isVplaneError, VplaneError } from '../../../shared/errors.ts'
import { endProcesses } from '../../../shared/processes/end-processes.ts'
import { leftDatabase, openForRemoval } from './plane-database.ts'
import { storedSharedEtcd } from '../components/plane-etcd-access.ts'
import { findPlaneProcesses } from '../components/running-components.ts'
import type { PlaneFolder } from '../store/plane-folder.ts'
import type { PlaneContext } from '../components/start-context.ts'

/**
 * Kills a plane's processes, and removes its folder and its data at a server. Returns what is left.
 * @throws {VplaneError} `UNREACHABLE` or `FAILED` when that data cannot be deleted.
 */
export async function removePlane(
  { store, table }: PlaneContext,
  name: string,
  {
    leaveData = false,
    signal,
    ui,
    whenCertain,
  }: Operation & Pick<RemoveOptions, 'leaveData' | 'whenCertain'>,
): Promise<Leftover[]> {
  const folder = store.folder(name)
  ui.step(`Removing "${name}"`)
  // Before anything is stopped, so that the plane stays as it is without its server.
  await using database = leaveData ? undefined : await openForRemoval(folder, name)
  const keys = await sharedKeys(folder, { leaveData, name, signal })
  const left = leaveData ? [...(await leftDatabase(folder)), ...keys.left] : []
  // Killed at once, since its data is removed too.
  await endProcesses(findPlaneProcesses(folder, table), { table, signal, graceMs: 0 }).catch(
    (error: unknown) => {
      if (!isVplaneError(error, 'TIMED_OUT')) {
        throw error
      }
      // Returned below as a leftover.
    },
  )
  left.push(...((await database?.drop()) ?? []))
  await keys.drop?.()
  await whenCertain?.()
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

/** What a plane has in a shared etcd. */
async function sharedKeys(
  folder: PlaneFolder,
  { leaveData, ...plane }: { leaveData: boolean; name: string; signal: AbortSignal },
): Promise<{ drop?: () => Promise<void>; left: Leftover[] }> {
  const facts = leaveData ? readableFacts(folder) : storedSharedEtcd(folder)
  if (facts === undefined) {
    return { left: [] }
  }
  const { leftKeys } = await import('../../../etcd/shared/left-keys.ts')
  const { openKeysForRemoval } = await import('./remove-keys.ts')
  return leaveData
    ? { left: [leftKeys(facts)] }
    : { ...(await openKeysForRemoval(facts, { folder, ...plane })), left: [] }
}

/** What is damaged cannot be deleted, but left. */
function readableFacts(folder: PlaneFolder): SharedEtcd | undefined {
  try {
    return storedSharedEtcd(folder)
  } catch (error) {
    if (error instanceof VplaneError) {
      return undefined
    }
    throw error
  }
}
