import type { Driver } from '../../control-plane/driver/driver.ts'
import type { Plane } from '../../control-plane/plane/plane.ts'
import type { PlaneStatus } from '../../control-plane/status/plane-status.ts'
import type { Ui } from '../../shared/ui.ts'

export interface PauseDependencies {
  driver: Driver
  ui: Ui
  timeoutMs: number
}

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
  await driver.pause(plane, { ui, signal, timeoutMs }, { idle })
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
