import { needsKeeper } from '../../../control-plane/spec/needs-keeper.ts'
import { messageOf } from '../../../shared/errors.ts'
import type { Ui } from '../../../shared/ui.ts'
import type { PlaneRecord } from '../store/plane-record.ts'
import type { StartContext } from '../components/start-context.ts'

/** Starts the keeper for a running plane that needs one. A failure is a warning; the next command for the plane tries again. */
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
    ui.warn(`the keeper of "${name}" cannot be started: ${messageOf(error)}`)
  }
}
