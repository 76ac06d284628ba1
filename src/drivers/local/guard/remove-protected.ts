import { messageOf, VplaneError } from '../../../shared/errors.ts'
import { silentUi } from '../../../shared/ui.ts'
import type { ProcessTable } from '../../../shared/processes/process-table.ts'
import { removePlane } from '../lifecycle/remove-plane.ts'
import { PlaneStore } from '../store/plane-store.ts'
import type { GuardMessage, ProtectedPlane } from './guard-message.ts'

const LOCK_TIMEOUT_MS = 30_000

/**
 * Removes the planes of an owner that has died, but not those whose record names another owner. Returns a line for each
 * that could not be removed. The next command that lists planes tries again.
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
  // Checked before locking too, since a lock creates folders.
  if (!(await isOwned())) {
    return
  }
  const signal = AbortSignal.timeout(LOCK_TIMEOUT_MS)
  await using _lock = await store.lock(name, { signal })
  if (await isOwned()) {
    await removePlane({ store, table }, name, { signal, ui: silentUi })
  }
}
