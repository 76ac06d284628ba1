import type { Operation } from './operation.ts'
import type { Plane } from '../plane/plane.ts'
import type { RotatedKeys, RotationProgress, RotationRequest } from '../rotation/rotation.ts'

export interface PlaneCertificate {
  /** Its path in the plane's PKI: `etcd/server`. */
  name: string
  /**
   * - `authority`: a CA, or a bundle of CAs.
   * - `leaf`: a certificate by which a component proves its identity.
   * - `key`: a key without a certificate, which does not expire, such as that of ServiceAccount tokens.
   */
  kind: 'authority' | 'leaf' | 'key'
  /** Undefined with keys. */
  subject?: string
  /** The earliest expiry of a bundle; undefined with keys. */
  expiresAt?: Date
}

export interface StoredSecrets {
  count: number
  /** Secrets, as `namespace/name`, that are not encrypted with the current key. */
  stale: string[]
}

export interface PlaneCertificates {
  /** All certificates and keys, CAs first. Changes nothing. */
  list(plane: Plane): Promise<PlaneCertificate[]>

  /**
   * Renews all leaves, signed by the same CAs, regardless of when they expire, and returns their names. Components load
   * them while they run.
   * @throws {VplaneError} `FAILED` when keys of the plane are missing, or a stage of a rotation was interrupted.
   */
  renewLeaves(plane: Plane, operation: Operation): Promise<string[]>

  rotation(plane: Plane, keys: RotatedKeys): Promise<RotationProgress>

  /**
   * Performs one stage of a rotation of a plane that runs: stores other keys, and replaces the components that read them,
   * one after the other. Another call continues an interrupted stage.
   * @throws {VplaneError} `FAILED` when the stage is no longer the next one, keys of the plane are missing or another
   * operation on it was interrupted, `COMPONENT_FAILED` when a component cannot run with the keys, `TIMED_OUT`, and the
   * errors of `untilSafe` and `untilSettled`. Completed steps remain; the same call continues.
   */
  rotate(plane: Plane, request: RotationRequest, operation: Operation): Promise<void>

  /** Asks etcd. @throws {VplaneError} `FAILED` when it does not run or Secrets are not encrypted, `UNREACHABLE`. */
  secretsInEtcd(plane: Plane, signal: AbortSignal): Promise<StoredSecrets>
}
