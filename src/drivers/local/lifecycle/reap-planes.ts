import { silentUi } from '../../../shared/ui.ts'
import { VplaneError } from '../../../shared/errors.ts'
import type { ProcessTable } from '../../../shared/processes/process-table.ts'
import type { PlaneRecord } from '../store/plane-record.ts'
import type { PlaneStore, StoredFolder } from '../store/plane-store.ts'
import { removePlane } from './remove-plane.ts'

/** How long reaping may hold up the command that came upon it, in milliseconds. */
const TIMEOUT_MS = 10_000

interface ReapContext {
  store: PlaneStore
  table: ProcessTable
}

/**
 * Removes the planes whose time is over: those whose owner has died, and ephemeral ones of an earlier boot. With them
 * goes what is left of others whose adding or removing was cut off.
 *
 * @returns the planes that stay, also those that could not be removed now: the next look tries again.
 */
export async function reapPlanes(
  context: ReapContext,
  planes: readonly StoredFolder[],
): Promise<StoredFolder[]> {
  await context.store.sweep().catch(() => {
    // A folder that cannot be written is no reason not to show what is in it.
  })
  const reaped = await Promise.all(
    planes.map(async (plane) => isOver(plane, context) && (await reap(context, plane.name))),
  )
  return planes.filter((_, index) => reaped[index] !== true)
}

async function reap(context: ReapContext, name: string): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS)
    await using _lock = await context.store.lock(name, { signal })
    // Whoever held the lock may have removed it, and made another of this name.
    const plane = await context.store.find(name)
    if (plane !== undefined && !isOver(plane, context)) {
      return false
    }
    await removePlane(context, name, { signal, ui: silentUi })
    return true
  } catch {
    // It is shown, and can be deleted by name: then the reason is said.
    return false
  }
}

function isOver({ record }: StoredFolder, { table }: ReapContext): boolean {
  return !(record instanceof VplaneError) && hasEnded(record, table)
}

function hasEnded({ bootId, owner, spec }: PlaneRecord, table: ProcessTable): boolean {
  const isOwnerDead = owner !== undefined && table.startTimeOf(owner.processId) !== owner.startTime
  return isOwnerDead || (spec.ephemeral && bootId !== table.bootId())
}
