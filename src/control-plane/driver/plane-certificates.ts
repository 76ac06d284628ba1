import type { Operation } from './operation.ts'
import type { Plane } from '../plane/plane.ts'
import type { RotatedKeys, RotationProgress, RotationRequest } from '../rotation/rotation.ts'

/** A certificate or a key of a plane, as it is stored with the plane. */
export interface PlaneCertificate {
  /** Its place in the plane's PKI: `etcd/server`. */
  name: string
  /**
   * - `authority`: a CA, or a bundle of them.
   * - `leaf`: what a component proves with who it is.
   * - `key`: no certificate, and without an end, such as that of ServiceAccount tokens.
   */
  kind: 'authority' | 'leaf' | 'key'
  /** Whom it names; undefined with keys. */
  subject?: string
  /** When it ends, the first of a bundle; undefined with keys. */
  expiresAt?: Date
}

/** How the Secrets of a plane are stored. */
export interface StoredSecrets {
  /** How many there are. */
  count: number
  /** Those, `namespace/name`, that are stored otherwise than encrypted with the key that writes now. */
  stale: string[]
}

/** What a driver does with the certificates and keys of its planes. */
export interface PlaneCertificates {
  /** All of them, CAs first. Changes nothing. */
  list(plane: Plane): Promise<PlaneCertificate[]>

  /**
   * Issues all leaves anew, signed by the same CAs, whenever they end. Components take them up while they run.
   *
   * @returns the names of those that were issued.
   * @throws {VplaneError} `FAILED` when keys of the plane are gone, or a stage of a rotation was cut off.
   */
  renewLeaves(plane: Plane, operation: Operation): Promise<string[]>

  /** How far the rotation of some keys has come. Changes nothing. */
  rotation(plane: Plane, keys: RotatedKeys): Promise<RotationProgress>

  /**
   * Takes one stage of a rotation of a plane that runs: stores other keys, and replaces the components that read them,
   * one after the other. The same stage goes on when it was cut off.
   *
   * @throws {VplaneError} `FAILED` when the stage is not the next one any more, keys of the plane are gone or another
   * operation on it was cut off, `COMPONENT_FAILED` when a component cannot run so, `TIMED_OUT`, and what `untilSafe` and
   * `untilSettled` throw. What was done stays; the same call goes on.
   */
  rotate(plane: Plane, request: RotationRequest, operation: Operation): Promise<void>

  /**
   * How its Secrets are stored, looked up in etcd itself.
   *
   * @throws {VplaneError} `FAILED` when no etcd of it runs or its Secrets are not encrypted, `UNREACHABLE`.
   */
  secretsInEtcd(plane: Plane, signal: AbortSignal): Promise<StoredSecrets>
}
