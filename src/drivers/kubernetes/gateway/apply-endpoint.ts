import type { Manifest } from '../../../manifests/manifest.ts'
import { isVplaneError } from '../../../shared/errors.ts'
import type { KubeObject } from '../../../shared/kube/kube-object.ts'
import type { PlacedName } from '../context/object-names.ts'
import { applyObjects } from '../host/apply-objects.ts'
import type { HostApi } from '../host/host-api.ts'
import { leadToPlane } from './endpoint-switch.ts'
import { leadToGatewayAgain } from './gateway-planes.ts'

interface EndpointOptions {
  endpoint: readonly Manifest[]
  /** Whether it leads to the gateway afterwards, if that knows the plane. */
  isAsleep: boolean
  signal: AbortSignal
}

/** How often it tries while the plane falls asleep or wakes, which changes the endpoint at the same time. */
const TRIES = 3

/** Applies the endpoint of a plane, which may lead to the gateway. @throws {VplaneError} as `applyObjects` and `leadToPlane` do. */
export async function applyEndpoint(
  api: Pick<HostApi, 'apply' | 'get' | 'patch'>,
  place: PlacedName,
  { endpoint, isAsleep, signal }: EndpointOptions,
): Promise<KubeObject[]> {
  const apply = async () => {
    // A field manager that switched it would conflict with the apply.
    await leadToPlane(api, place, signal)
    const applied = await applyObjects(api, endpoint, signal)
    await (isAsleep && leadToGatewayAgain(api, place, signal))
    return applied
  }
  for (let tries = 1; ; tries += 1) {
    try {
      return await apply()
    } catch (error) {
      if (tries === TRIES || !isVplaneError(error, 'CONFLICT')) {
        throw error
      }
    }
  }
}
