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
import { refuseHalfRotated } from '../../control-plane/rotation/refuse-step.ts'
import { ENCRYPTION_FILE } from '../../control-plane/components/encryption-configuration.ts'
import { localEtcd } from './components/local-etcd.ts'
import type { StartContext } from './components/start-context.ts'
import { currentRecord } from './store/current-record.ts'
import type { PlaneRecord } from './store/plane-record.ts'
import { readPki } from './certificates/pki-files.ts'

/** The certificates of planes on this machine: files in the folders of the planes. */
export class LocalCertificates implements PlaneCertificates {
  readonly #context: StartContext
  readonly #record: (plane: Plane) => Promise<PlaneRecord>

  constructor(context: StartContext, record: (plane: Plane) => Promise<PlaneRecord>) {
    this.#context = context
    this.#record = record
  }

  async list({ name }: Plane): Promise<PlaneCertificate[]> {
    const { listCertificates } = await import('../../pki/plane/list-certificates.ts')
    return listCertificates(await readPki(this.#context.store.folder(name).pki))
  }

  async renewLeaves(plane: Plane, operation: Operation): Promise<string[]> {
    const { now, store } = this.#context
    const { name } = plane
    const { renewCertificates } = await import('./certificates/renew-certificates.ts')
    const { pendingStep } = await import('../../pki/rotation/pending-rotation.ts')
    await using _lock = await store.lock(name, operation)
    await currentRecord(store, plane)
    refuseHalfRotated(name, pendingStep(await readPki(store.folder(name).pki)))
    operation.ui.step('Issuing certificates')
    const renewed = await renewCertificates(store.folder(name), { now: now(), withinMs: Infinity })
    return renewed.map((file) => file.replace(/\.crt$/, '')).toSorted()
  }

  async rotation({ name }: Plane, keys: RotatedKeys): Promise<RotationProgress> {
    const { rotationProgress } = await import('../../pki/rotation/rotations.ts')
    return rotationProgress(await readPki(this.#context.store.folder(name).pki), keys)
  }

  async rotate(plane: Plane, request: RotationRequest, operation: Operation): Promise<void> {
    const { rotateKeys } = await import('./change/rotate-keys.ts')
    await using _lock = await this.#context.store.lock(plane.name, operation)
    await rotateKeys(this.#context, await this.#record(plane), { request, operation })
  }

  async secretsInEtcd({ name, spec }: Plane, signal: AbortSignal): Promise<StoredSecrets> {
    const { readSecrets } = await import('../../etcd/data/read-secrets.ts')
    const { pki } = this.#context.store.folder(name)
    const { [ENCRYPTION_FILE]: configuration = '' } = await readPki(pki)
    const connection = await localEtcd(this.#context, name)
    return await readSecrets(connection, { configuration, spec, signal })
  }
}
