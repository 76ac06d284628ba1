import type { PlaneMoves } from '../../control-plane/driver/plane-moves.ts'
import type { KubernetesContext } from './context/context.ts'
import { toPlace } from './context/object-names.ts'

/** Moves planes of a host cluster out of their namespace. */
export function hostMoves(context: KubernetesContext): PlaneMoves {
  return {
    fingerprint: async (plane, signal) => {
      const { hostedEtcd } = await import('./etcd/hosted-etcd.ts')
      const { dataFingerprint } = await import('../../etcd/data/data-fingerprint.ts')
      const connection = await hostedEtcd(await context.host(), toPlace(plane).place, signal)
      return dataFingerprint(connection, signal)
    },
    leave: async (plane, request, operation) => {
      const { leavePlane } = await import('./move/leave-plane.ts')
      await leavePlane(context, { ...toPlace(plane), ...request, operation })
    },
    takeBack: async (plane, request, operation) => {
      const { takeBackPlane } = await import('./move/take-back-plane.ts')
      return takeBackPlane(context, { ...toPlace(plane), ...request, operation })
    },
    return: async (plane, request, operation) => {
      const { returnPlane } = await import('./move/return-plane.ts')
      await returnPlane(context, { ...toPlace(plane), ...request, operation })
    },
  }
}
