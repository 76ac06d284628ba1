import type { Driver } from '../../control-plane/driver/driver.ts'
import type { Plane } from '../../control-plane/plane/plane.ts'
import { findAgain } from '../../control-plane/use-cases/find/find-again.ts'
import { silentUi } from '../../shared/ui.ts'

const WAKE_TIMEOUT_MS = 120_000

/**
 * Starts a plane that sleeps, and passes on its warnings. One that cannot be started falls asleep again, so that clients that come later start it.
 * @throws {VplaneError} as `Driver.start` does.
 */
export async function startOrSleep(
  driver: Pick<Driver, 'find' | 'isRunning' | 'pause' | 'start'>,
  plane: Plane,
  { signal, warn }: { signal: AbortSignal; warn: (message: string) => void },
): Promise<void> {
  const operation = { ui: { ...silentUi, warn }, signal }
  try {
    await driver.start(plane, { ...operation, timeoutMs: WAKE_TIMEOUT_MS })
  } catch (error) {
    const { createdAt, neverStarted = false, idleSince } = plane
    const since = idleSince ?? (neverStarted ? createdAt : undefined)
    if (since !== undefined && !signal.aborted) {
      // Someone else may have started it meanwhile.
      const isStill = async () => !(await driver.isRunning(plane))
      await driver.pause(await findAgain(driver, plane), operation, { idle: { since, isStill } })
    }
    throw error
  }
}
