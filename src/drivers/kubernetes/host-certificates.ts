import type { Operation } from '../../control-plane/driver/operation.ts'
import type { Plane } from '../../control-plane/plane/plane.ts'
import type {
  PlaneCertificate,
  PlaneCertificates,
  StoredSecrets,
} from '../../control-plane/driver/plane-certificates.ts'
import type {
  RotatedKeys,
  RotationProgress,
  RotationRequest,
} from '../../control-plane/rotation/rotation.ts'
import type { PkiFiles } from '../../pki/plane/certificate-expiry.ts'
import type { KubernetesContext } from './context/context.ts'
import type { PlaneRecord } from './record/plane-record.ts'
import { toPlace } from './context/to-place.ts'

/** How long one look at the Secrets of a plane may take, in milliseconds. */
const LOOK_MS = 30_000

/** The certificates of planes in a host cluster, which are in their Secrets. */
export class HostCertificates implements PlaneCertificates {
  readonly #context: Pick<KubernetesContext, 'diagnose' | 'host' | 'now'>

  readonly #onRotated: (record: PlaneRecord) => void

  /** @param onRotated called with the record of a plane whose keys are other ones now */
  constructor(
    context: Pick<KubernetesContext, 'diagnose' | 'host' | 'now'>,
    onRotated: (record: PlaneRecord) => void,
  ) {
    this.#context = context
    this.#onRotated = onRotated
  }

  async list(plane: Plane): Promise<PlaneCertificate[]> {
    const { listCertificates } = await import('../../pki/plane/list-certificates.ts')
    return listCertificates(await this.#files(plane))
  }

  async renewLeaves(plane: Plane, operation: Operation): Promise<string[]> {
    const { renewPlaneLeaves } = await import('./certificates/renew-plane-leaves.ts')
    return await renewPlaneLeaves(this.#context, toPlace(plane), operation)
  }

  async rotation(plane: Plane, keys: RotatedKeys): Promise<RotationProgress> {
    const { rotationProgress } = await import('../../pki/rotation/rotations.ts')
    return rotationProgress(await this.#files(plane), keys)
  }

  async rotate(
    plane: Plane,
    { untilSafe, untilSettled, ...step }: RotationRequest,
    operation: Operation,
  ): Promise<void> {
    const { rotateKeys } = await import('./certificates/rotate-keys.ts')
    await rotateKeys(this.#context, {
      ...toPlace(plane),
      step,
      untilSafe: async () => untilSafe?.(),
      untilSettled: async (record) => {
        this.#onRotated(record)
        await untilSettled?.()
      },
      operation,
    })
  }

  async secretsInEtcd(plane: Plane, signal: AbortSignal): Promise<StoredSecrets> {
    const { secretsInEtcd } = await import('./certificates/secrets-in-etcd.ts')
    const { place } = toPlace(plane)
    return secretsInEtcd(await this.#context.host(), { place, spec: plane.spec, signal })
  }

  async #files(plane: Plane): Promise<PkiFiles> {
    const { readKeys } = await import('./objects/plane-keys.ts')
    const { api } = await this.#context.host()
    return readKeys(api, toPlace(plane).place, AbortSignal.timeout(LOOK_MS))
  }
}
