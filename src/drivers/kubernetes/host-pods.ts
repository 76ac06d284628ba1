import type { PlanePods } from '../../control-plane/driver/plane-pods.ts'
import type { Plane } from '../../control-plane/plane/plane.ts'
import type { KubernetesContext } from './context/context.ts'
import { READ_TIMEOUT_MS } from './host/host-api.ts'
import { toPlace } from './context/object-names.ts'

/** The pods that planes run in a host namespace, found by the objects that their syncers created. */
export function hostPods({ host }: Pick<KubernetesContext, 'host'>): PlanePods {
  return {
    volumes: async (plane) => {
      if ('spec' in plane && !runsPods(plane)) {
        return []
      }
      const { podVolumes } = await import('./synced/synced-objects.ts')
      const { api } = await host()
      return podVolumes(api, toPlace(plane).place, AbortSignal.timeout(READ_TIMEOUT_MS))
    },
    addresses: async (plane) => {
      if (!runsPods(plane)) {
        return []
      }
      const { serviceAddresses } = await import('./synced/synced-objects.ts')
      const { api } = await host()
      return serviceAddresses(api, toPlace(plane).place, AbortSignal.timeout(READ_TIMEOUT_MS))
    },
    outlook: async (addresses, namespace, signal) => {
      const { addressOutlook } = await import('./synced/address-outlook.ts')
      const { api } = await host()
      return addressOutlook(api, { addresses, namespace, signal })
    },
  }
}

function runsPods({ spec }: Plane): boolean {
  return spec.host?.sync !== undefined
}
