import { type Machine, thisMachine } from '../../../shared/processes/process-namespace.ts'
import { silentUi } from '../../../shared/ui.ts'
import { VplaneError } from '../../../shared/errors.ts'
import type { PlaneContext } from '../components/start-context.ts'
import type { StoredFolder } from '../store/plane-store.ts'
import { removePlane } from './remove-plane.ts'

/** How long reaping may delay a command, in milliseconds. */
const TIMEOUT_MS = 10_000

interface ReapContext extends PlaneContext {
  /** @default where this process runs */
  here?: Machine
}

/**
 * Removes planes whose owner has died, ephemeral planes of an earlier boot, and the leftovers of interrupted commands.
 * Returns the other planes, and those that could not be removed now: the next command tries again.
 */
export async function reapPlanes(
  context: ReapContext,
  planes: readonly StoredFolder[],
): Promise<StoredFolder[]> {
  await context.store.sweep().catch(() => {
    // Planes in a read-only folder are still listed.
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
    // The previous holder of the lock may have removed the plane and created another.
    const plane = await context.store.find(name)
    if (plane !== undefined && !isOver(plane, context)) {
      return false
    }
    await removePlane(context, name, { signal, ui: silentUi })
    return true
  } catch {
    // The plane stays listed; `vplane delete` reports the reason.
    return false
  }
}

/** Only where it was created is known whether its owner lives, and whether a boot is an earlier one. */
function isOver({ record }: StoredFolder, { here = thisMachine(), table }: ReapContext): boolean {
  if (record instanceof VplaneError) {
    return false
  }
  const { bootId, machine = here, owner, spec } = record
  if (bootId !== table.bootId()) {
    return machine.hostName === here.hostName && (owner !== undefined || spec.ephemeral)
  }
  return (
    owner !== undefined &&
    machine.pidNamespace === here.pidNamespace &&
    table.startTimeOf(owner.processId) !== owner.startTime
  )
}
