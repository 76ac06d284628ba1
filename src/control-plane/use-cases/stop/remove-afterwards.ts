import { messageOf } from '../../../shared/errors.ts'
import { silentUi, type Ui } from '../../../shared/ui.ts'
import type { Driver } from '../../driver/driver.ts'
import type { AccessStore } from '../access/access.ts'
import { unwantedIn } from './refuse-leftovers.ts'

/** How long the removal may take, in milliseconds. A host may need three minutes for the namespace alone. */
const TIMEOUT_MS = 240_000

export interface AfterwardsDependencies {
  driver: Driver
  accesses: AccessStore
  /** Disposed after a complete removal only: without that, it removes the plane when this process ends. */
  guard: AsyncDisposable
  ui: Pick<Ui, 'warn'>
}

/**
 * Removes the plane when it is disposed, even if its creation did not finish. Warns about a removal that fails: an error
 * would hide how the work with the plane ended.
 */
export function removeAfterwards(
  deps: AfterwardsDependencies,
  plane: { name: string; namespace?: string | undefined },
): AsyncDisposable {
  return {
    [Symbol.asyncDispose]: async () => {
      const problem = await remove(deps, plane).catch(messageOf)
      if (problem === undefined) {
        await deps.guard[Symbol.asyncDispose]()
        return
      }
      deps.ui.warn(
        `"${plane.name}" was not deleted completely, and vplane tries again in the background: ${problem}`,
        { action: 'delete', plane },
      )
    },
  }
}

/** Returns what was left behind; undefined when nothing was. */
async function remove(
  { accesses, driver }: AfterwardsDependencies,
  { name, namespace }: { name: string; namespace?: string | undefined },
): Promise<string | undefined> {
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  const left: string[] = []
  for (const plane of await driver.find(name, { namespace, signal })) {
    const leftovers = await driver.remove(plane, { ui: silentUi, signal })
    await accesses.remove(plane)
    left.push(...unwantedIn(leftovers))
  }
  return left.length === 0 ? undefined : left.join(', ')
}
