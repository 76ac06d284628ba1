import type { Driver } from '../../control-plane/driver/driver.ts'
import { VplaneError } from '../../shared/errors.ts'
import { silentUi } from '../../shared/ui.ts'

/** Processes are killed and files removed: more time only helps a machine that is out of its depth. */
const TIMEOUT_MS = 30_000

/**
 * Removes a plane of the library, however far its making came.
 *
 * @throws {VplaneError} `FAILED` with what is still there.
 */
export async function removeOwned(driver: Driver, name: string): Promise<void> {
  const operation = { ui: silentUi, signal: AbortSignal.timeout(TIMEOUT_MS) }
  const found = await driver.find(name)
  const leftovers = await Promise.all(found.map((plane) => driver.remove(plane, operation)))
  const left = leftovers.flat().map(({ what, why }) => `${what}: ${why}`)
  if (left.length > 0) {
    throw new VplaneError('FAILED', `"${name}" is not gone: ${left.join('; ')}`)
  }
}
