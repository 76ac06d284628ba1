import type { Plane } from '../../control-plane/plane/plane.ts'
import type { PlaneStatus } from '../../control-plane/status/plane-status.ts'
import { prepareSync } from '../../control-plane/sync/prepare-sync.ts'
import {
  type AccessDependencies,
  renewAccess,
} from '../../control-plane/use-cases/access/access.ts'
import type { Driver } from '../../control-plane/driver/driver.ts'
import { isVplaneError } from '../../shared/errors.ts'

export interface PrepareDependencies extends Pick<
  AccessDependencies,
  'accesses' | 'now' | 'openApi'
> {
  driver: Driver
}

/**
 * Gives the syncer of a plane that starts what it needs in the plane, once the API answers: commands do it while they wait
 * for the plane, and the operator does not wait. An API that does not answer is asked at the next look.
 */
export async function prepareSyncer(
  deps: PrepareDependencies,
  { plane, status }: { plane: Plane; status: PlaneStatus },
  signal: AbortSignal,
): Promise<void> {
  const host = plane.spec.host?.sync?.serviceRange
  const isReady = (component: string) =>
    status.components.some(({ name, replicas }) => name === component && (replicas?.ready ?? 0) > 0)
  if (host === undefined || isReady('syncer') || !isReady('kube-apiserver')) {
    return
  }
  await using api = deps.openApi(await renewAccess(deps, { driver: deps.driver, plane }))
  try {
    await prepareSync(api, { ranges: { host, own: plane.spec.serviceRange }, signal })
  } catch (error) {
    if (!isVplaneError(error, 'UNREACHABLE')) {
      throw error
    }
  }
}
