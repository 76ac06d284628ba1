import type { PlaneCertificates } from '../../control-plane/driver/plane-certificates.ts'
import type { Plane } from '../../control-plane/plane/plane.ts'
import type { KubernetesContext } from './context/context.ts'
import { READ_TIMEOUT_MS } from './host/host-api.ts'
import { toPlace } from './context/object-names.ts'
import type { PlaneRecord } from './record/plane-record.ts'

/**
 * Reads, renews and rotates the certificates and keys of planes in a host cluster.
 *
 * @param onRotated called with the record of a plane whose keys have changed
 */
export function hostCertificates(
  context: Pick<KubernetesContext, 'diagnose' | 'host' | 'now'>,
  onRotated: (record: PlaneRecord) => void,
): PlaneCertificates {
  const filesOf = async (plane: Plane) => {
    const { readKeys } = await import('./objects/plane-keys.ts')
    const { api } = await context.host()
    return readKeys(api, toPlace(plane).place, AbortSignal.timeout(READ_TIMEOUT_MS))
  }
  return {
    list: async (plane) => {
      const { listCertificates } = await import('../../pki/plane/list-certificates.ts')
      return listCertificates(await filesOf(plane))
    },
    renewLeaves: async (plane, operation) => {
      const { renewPlaneLeaves } = await import('./certificates/renew-plane-leaves.ts')
      return renewPlaneLeaves(context, toPlace(plane), operation)
    },
    rotation: async (plane, keys) => {
      const { rotationProgress } = await import('../../pki/rotation/rotations.ts')
      return rotationProgress(await filesOf(plane), keys)
    },
    rotate: async (plane, { untilSafe, untilSettled, ...step }, operation) => {
      const { rotateKeys } = await import('./certificates/rotate-keys.ts')
      await rotateKeys(context, {
        ...toPlace(plane),
        step,
        untilSafe: async () => untilSafe?.(),
        untilSettled: async (record) => {
          onRotated(record)
          await untilSettled?.()
        },
        operation,
      })
    },
    secretsInEtcd: async (plane, signal) => {
      const { secretsInEtcd } = await import('./certificates/secrets-in-etcd.ts')
      const { place } = toPlace(plane)
      return secretsInEtcd(await context.host(), { place, spec: plane.spec, signal })
    },
  }
}
