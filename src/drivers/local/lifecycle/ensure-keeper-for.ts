import { needsKeeper } from '../../../control-plane/spec/needs-keeper.ts'
import { messageOf } from '../../../shared/errors.ts'
import type { Ui } from '../../../shared/ui.ts'
import type { PlaneRecord } from '../store/plane-record.ts'
import type { StartContext } from '../components/start-context.ts'

/**
 * Sees to it that a keeper runs for a plane that needs one and runs. What keeps one from starting keeps nobody from the
 * plane: that is a warning, and whoever looks at the plane next tries again.
 */
export async function ensureKeeperFor(
  { ensureKeeper }: Pick<StartContext, 'ensureKeeper'>,
  { desired, idleSince, name, spec }: PlaneRecord,
  ui: Pick<Ui, 'warn'>,
): Promise<void> {
  const isPausing = idleSince !== undefined
  if (!needsKeeper(spec) || (desired !== 'running' && !isPausing)) {
    return
  }
  try {
    await ensureKeeper?.()
  } catch (error) {
    ui.warn(`nothing looks after "${name}", as its keeper cannot be started: ${messageOf(error)}`)
  }
}
