import type { PlaneEtcd } from '../../control-plane/driver/stale-objects.ts'
import type { KubernetesContext } from './context/context.ts'
import { toPlace } from './context/object-names.ts'

/** Reads and repairs etcd of planes in a host cluster. */
export function hostPlaneEtcd(
  context: Pick<KubernetesContext, 'diagnose' | 'host' | 'now'>,
): PlaneEtcd {
  return {
    staleObjects: async (plane, lost, signal) => {
      const { hostedEtcd } = await import('./etcd/hosted-etcd.ts')
      const { readStaleObjects } = await import('../../etcd/data/read-stale-objects.ts')
      const connection = await hostedEtcd(await context.host(), toPlace(plane).place, signal)
      return readStaleObjects(connection, { lost, spec: plane.spec, signal })
    },
    canReturnTo: async (plane, version, signal) => {
      const { canReturn } = await import('./etcd/can-return.ts')
      return canReturn(await context.host(), toPlace(plane).place, { version, signal })
    },
    regainMajority: async (plane, operation) => {
      const { regainMajority } = await import('./repair/regain-majority.ts')
      return regainMajority(context, toPlace(plane), operation)
    },
    settle: async (plane, operation) => {
      const { settlePlane } = await import('./lifecycle/settle-plane.ts')
      await settlePlane(context, toPlace(plane), operation)
    },
  }
}
