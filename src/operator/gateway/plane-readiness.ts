import type { PlacedName } from '../../drivers/kubernetes/context/object-names.ts'
import { readLimit } from '../../drivers/kubernetes/host/host-api.ts'
import { readKeys } from '../../drivers/kubernetes/objects/plane-keys.ts'
import { isReadyPod } from '../../drivers/kubernetes/observed/observed-plane.ts'
import { apiServerPods, isApiReady, serverNameOf } from '../../keeper/pod/api-servers.ts'
import type { GatewayWorld } from '../../keeper/wake/plane-gateway.ts'
import type { KubeClient } from '../../kube/client/client.ts'

/** How long the CA of a plane is used before it is read again, in milliseconds: it may be rotated. */
const FRESH_MS = 30_000

/** How an operator knows whether a plane that starts is ready. */
export function planeReadiness(
  host: KubeClient,
  place: PlacedName,
): Pick<GatewayWorld, 'hasReadyPod' | 'isApiReady'> {
  const serverName = serverNameOf(place)
  let known: { files: Record<string, string>; at: number } | undefined
  return {
    isApiReady: async (isRestart, signal) => {
      const at = performance.now()
      if (known === undefined || at - known.at >= FRESH_MS) {
        known = { files: await readKeys(host, place, readLimit()), at }
      }
      return isApiReady(host, place, { serverName, files: known.files, isRestart, signal })
    },
    hasReadyPod: async (signal) => (await apiServerPods(host, place, signal)).some(isReadyPod),
  }
}
