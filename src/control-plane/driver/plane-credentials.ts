import type { KubeObject } from '../../shared/kube/kube-object.ts'
import type { Plane } from '../plane/plane.ts'

/** The Secret of an entry in `credentials`. */
export interface CredentialState {
  /** Whether it has the credential that the spec asks for. @default the user may not read it */
  isWritten?: boolean
  /** Why it cannot be written now. @default no failure is known */
  failure?: string
}

export interface PlaneCredentials {
  /** The Secret of an entry of the plane's spec. */
  state(plane: Plane, entry: string, signal: AbortSignal): Promise<CredentialState>

  /** The entries whose Secrets have a credential of keys that were replaced. Those that the user may not read are left out. */
  outdated(plane: Plane, signal: AbortSignal): Promise<string[]>

  /** The objects by which another namespace permits a plane to write a Secret there. */
  grant(plane: Plane, secret: { name: string; namespace: string }): Promise<KubeObject[]>
}
