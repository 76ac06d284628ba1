import type { UnreadablePlane } from '../../control-plane/plane/unreadable-plane.ts'
import type { Plane } from '../../control-plane/plane/plane.ts'
import type {
  AddressOutlook,
  PlanePods,
  PodVolume,
  ServiceAddress,
} from '../../control-plane/driver/plane-pods.ts'
import type { KubernetesContext } from './context/context.ts'
import { toPlace } from './context/to-place.ts'

/** How long one look at a host may take, in milliseconds. */
const LOOK_MS = 30_000

/** The pods that planes run in a host namespace, by what their syncers have made there. */
export class HostPods implements PlanePods {
  readonly #context: Pick<KubernetesContext, 'host'>

  constructor(context: Pick<KubernetesContext, 'host'>) {
    this.#context = context
  }

  async volumes(plane: Plane | UnreadablePlane): Promise<PodVolume[]> {
    if ('spec' in plane && !runsPods(plane)) {
      return []
    }
    const { podVolumes } = await import('./synced/pod-volumes.ts')
    const { api } = await this.#context.host()
    return podVolumes(api, toPlace(plane).place, AbortSignal.timeout(LOOK_MS))
  }

  async addresses(plane: Plane): Promise<ServiceAddress[]> {
    if (!runsPods(plane)) {
      return []
    }
    const { serviceAddresses } = await import('./synced/service-addresses.ts')
    const { api } = await this.#context.host()
    return serviceAddresses(api, toPlace(plane).place, AbortSignal.timeout(LOOK_MS))
  }

  async outlook(
    addresses: readonly ServiceAddress[],
    namespace: string,
    signal: AbortSignal,
  ): Promise<AddressOutlook> {
    const { addressOutlook } = await import('./synced/address-outlook.ts')
    const { api } = await this.#context.host()
    return addressOutlook(api, { addresses, namespace, signal })
  }
}

function runsPods({ spec }: Plane): boolean {
  return spec.host?.sync !== undefined
}
