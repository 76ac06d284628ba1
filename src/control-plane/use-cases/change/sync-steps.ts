import { isVplaneError, messageOf } from '../../../shared/errors.ts'
import type { PlaneApi } from '../../api/plane-api.ts'
import type { Driver } from '../../driver/driver.ts'
import type { SyncSteps } from '../../driver/sync-steps.ts'
import { type Plane, servingOf } from '../../plane/plane.ts'
import { deleteControlledPods, leaveSync } from '../../sync/leave-sync.ts'
import { revokeSync } from '../../sync/prepare-sync.ts'
import { type AccessDependencies, waitForAccess } from '../access/access.ts'

/** The steps of a switch of `sync` through the API of the plane, each of which waits for that first. */
export function syncSteps(
  deps: AccessDependencies,
  options: { driver: Driver; timeoutMs: number; signal: AbortSignal },
): SyncSteps {
  const { signal } = options
  const withApi = async (plane: Plane, work: (api: PlaneApi) => Promise<void>) => {
    const components = servingOf(plane.spec)
    const access = await waitForAccess(deps, { ...options, plane, components })
    await using api = deps.openApi(access)
    await work(api)
  }
  return {
    // Every wait for the API of a plane that runs pods prepares it too.
    prepare: (plane) => withApi(plane, async () => {}),
    leave: (plane) =>
      withApi(plane, async (api) => {
        try {
          await leaveSync(api, signal)
        } catch (error) {
          if (!isVplaneError(error, 'TIMED_OUT')) {
            throw error
          }
          deps.ui.warn(`the status of some workloads may be out of date: ${messageOf(error)}`)
        }
      }),
    clear: (plane) =>
      withApi(plane, async (api) => {
        await deleteControlledPods(api, signal)
        await revokeSync(api, signal)
      }),
  }
}
