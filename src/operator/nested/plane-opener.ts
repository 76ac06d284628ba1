import type { Driver } from '../../control-plane/driver/driver.ts'
import {
  type AccessDependencies,
  renewAccess,
} from '../../control-plane/use-cases/access/access.ts'
import { resolvePlane } from '../../control-plane/use-cases/find/resolve-plane.ts'
import { silentUi } from '../../shared/ui.ts'
import type { NestedDependencies } from './reconcile-nested.ts'

/** Opens the APIs of planes that `driver` runs. */
export function planeOpener(
  deps: Pick<AccessDependencies, 'accesses' | 'now' | 'openApi'>,
  driver: Driver,
): NestedDependencies['openPlane'] {
  return async (place) => {
    const { plane } = await resolvePlane({ drivers: [driver], ui: silentUi }, place)
    return deps.openApi(await renewAccess(deps, { driver, plane }))
  }
}
