import { silentUi } from '../../../shared/ui.ts'
import type { Driver } from '../../driver/driver.ts'
import type { AccessStore } from '../access/access.ts'

/** How long the removal may take, in milliseconds: the user may be waiting for it after Ctrl-C. */
const TIMEOUT_MS = 30_000

/** Removes the plane when it is disposed, even if its creation did not finish. */
export function removeAfterwards(
  { accesses, driver }: { driver: Driver; accesses: AccessStore },
  { name, namespace }: { name: string; namespace?: string | undefined },
): AsyncDisposable {
  return {
    [Symbol.asyncDispose]: async () => {
      const signal = AbortSignal.timeout(TIMEOUT_MS)
      for (const plane of await driver.find(name, { namespace, signal })) {
        await driver.remove(plane, { ui: silentUi, signal })
        await accesses.remove(plane)
      }
    },
  }
}
