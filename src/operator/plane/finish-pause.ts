import type { Driver } from '../../control-plane/driver/driver.ts'
import type { Plane } from '../../control-plane/plane/plane.ts'
import type { PlaneStatus } from '../../control-plane/status/plane-status.ts'
import type { Ui } from '../../shared/ui.ts'

export interface PauseDependencies {
  driver: Pick<Driver, 'pause' | 'status'>
  ui: Ui
  timeoutMs: number
}

/**
 * How long one try may take for a plane that clients wake, in milliseconds: a wake waits for it, and takes five minutes at
 * most.
 */
const WOKEN_MS = 30_000

/**
 * Continues the pause of a plane that was interrupted, which leaves components running. Returns the status of the plane
 * then.
 */
export async function finishPause(
  { driver, timeoutMs, ui }: PauseDependencies,
  { plane, status }: { plane: Plane; status: PlaneStatus },
  signal: AbortSignal,
): Promise<PlaneStatus> {
  if (!isHalfPaused(plane, status)) {
    return status
  }
  // One that was woken meanwhile is not paused again.
  const idle = plane.idleSince && { since: plane.idleSince, isStill: async () => false }
  const limitMs = idle === undefined ? timeoutMs : Math.min(timeoutMs, WOKEN_MS)
  await driver.pause(plane, { ui, signal, timeoutMs: limitMs }, { idle })
  return driver.status(plane)
}

/** Whether components still run, and nobody stops them. */
function isHalfPaused(
  { desired, unfinished }: Plane,
  { components, operation, phase }: PlaneStatus,
): boolean {
  return (
    desired === 'paused' &&
    unfinished === undefined &&
    phase === 'NotReady' &&
    // A status without components says that the host does not answer.
    components.length > 0 &&
    (operation === undefined || operation.isInterrupted)
  )
}
