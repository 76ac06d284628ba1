import { silentUi } from '../../shared/ui.ts'
import type { Driver } from '../driver.ts'
import type { AccessStore } from './access.ts'

/** How long removing may take, in milliseconds: the user may have lost patience already. */
const TIMEOUT_MS = 30_000

/** Removes the plane of this name when it is disposed, however far its making came. */
export function removeAfterwards(
  { accesses, drivers }: { drivers: readonly Driver[]; accesses: AccessStore },
  name: string,
): AsyncDisposable {
  return {
    [Symbol.asyncDispose]: async () => {
      for (const driver of drivers) {
        for (const plane of await driver.find(name)) {
          await driver.remove(plane, { ui: silentUi, signal: AbortSignal.timeout(TIMEOUT_MS) })
          await accesses.remove(plane)
        }
      }
    },
  }
}
