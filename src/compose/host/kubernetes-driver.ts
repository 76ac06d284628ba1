import type { Driver } from '../../control-plane/driver/driver.ts'
import type { KubernetesContext } from '../../drivers/kubernetes/context/context.ts'
import { KubernetesDriver } from '../../drivers/kubernetes/kubernetes-driver.ts'

/** Creates the driver of planes in a host cluster. Preflight and diagnosis are loaded when they are needed. */
export function kubernetesDriver(
  context: Pick<KubernetesContext, 'databases' | 'host' | 'live' | 'now' | 'tunnels'>,
): Driver {
  return new KubernetesDriver({
    ...context,
    preflight: async (request) => {
      const { preflight } = await import('../../drivers/kubernetes/preflight/preflight.ts')
      return preflight(request)
    },
    diagnose: async (request) => {
      const { diagnose } = await import('../../drivers/kubernetes/diagnosis/diagnose.ts')
      return diagnose({ ...request, now: context.now() })
    },
  })
}
