import type { PlaneMetrics } from '../../control-plane/driver/plane-metrics.ts'
import type { KubernetesContext } from './context/context.ts'
import { toPlace } from './context/object-names.ts'

/** Reads the metrics of planes in a host cluster through port-forwards to their pods. */
export function hostMetrics({ host }: Pick<KubernetesContext, 'host'>): PlaneMetrics {
  return {
    etcd: async (plane, signal) => {
      const { membersFigures } = await import('./metrics/members-figures.ts')
      return membersFigures(await host(), toPlace(plane), signal)
    },
    ofComponent: async (plane, component, signal) => {
      const { componentMetrics } = await import('./metrics/component-metrics.ts')
      return componentMetrics(await host(), { ...toPlace(plane), component, signal })
    },
  }
}
