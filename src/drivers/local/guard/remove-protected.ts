import { messageOf, VplaneError } from '../../../shared/errors.ts'
import { silentUi } from '../../../shared/ui.ts'
import type { ProcessTable } from '../../../shared/processes/process-table.ts'
import { removePlane } from '../lifecycle/remove-plane.ts'
import { PlaneStore } from '../store/plane-store.ts'
import type { GuardMessage, ProtectedPlane } from './guard-message.ts'

/** Whoever else works on a plane of a dead owner most likely removes it too. */
const TIMEOUT_MS = 30_000

/**
 * Removes the planes of an owner that is gone: those that say themselves that they belong to it. A plane of the same
 * name that is somebody else's stays.
 *
 * @returns why planes could not be removed, a line each; the next look at the store tries again.
 */
export async function removeProtected(
  { ownerProcessId, planes }: GuardMessage,
  table: ProcessTable,
): Promise<string[]> {
  const failures = await Promise.all(
    planes.map(async (plane) => {
      try {
        await removeOwned(plane, ownerProcessId, table)
        return []
      } catch (error) {
        return [`cannot remove "${plane.name}": ${messageOf(error)}`]
      }
    }),
  )
  return failures.flat()
}

async function removeOwned(
  { name, root }: ProtectedPlane,
  ownerProcessId: number,
  table: ProcessTable,
): Promise<void> {
  const store = new PlaneStore(root)
  const isOwned = async () => {
    const record = (await store.find(name))?.record
    return (
      record !== undefined &&
      !(record instanceof VplaneError) &&
      record.owner?.processId === ownerProcessId
    )
  }
  // Looked at before locking as well: a lock makes folders.
  if (!(await isOwned())) {
    return
  }
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  await using _lock = await store.lock(name, { signal })
  if (await isOwned()) {
    await removePlane({ store, table }, name, { signal, ui: silentUi })
  }
}
