import type { KubeClient } from '../../kube/client/client.ts'
import type {
  CredentialSpec,
  CredentialSpecs,
} from '../../control-plane/spec/credentials/credentials-spec.ts'
import type { IssuedCredential } from '../../manifests/credentials/credential-files.ts'
import type { CredentialNotes } from '../../manifests/credentials/credential-secret.ts'
import type { Signers } from '../../pki/rotation/current-signers.ts'
import type { KeeperEvent } from './duty.ts'

export interface NewCredential {
  credential: IssuedCredential
  expiresAt: Date
  /** What `CredentialTrust` has for its kind, unless the keys were rotated meanwhile. */
  signedBy: string
  /** Uid of the ServiceAccount; empty for a user. */
  subjectId: string
}

/** Whom the plane trusts now. */
export interface CredentialTrust extends Signers {
  /** CA bundle of the API, PEM. */
  certificateAuthority: string
}

export interface CredentialEntry {
  /** Its name in `credentials`. */
  entry: string
  spec: CredentialSpec
}

export interface CredentialPlane {
  name: string
  namespace: string
  id: string
  credentials: CredentialSpecs
}

/** A Secret in another namespace than that of the plane. */
export interface ForeignSecret {
  name: string
  namespace: string
  verb: 'create' | 'patch'
}

export interface CredentialDependencies {
  host: Pick<KubeClient, 'apply' | 'get'>
  /** Issues a credential, and binds its subject to a role. */
  issue: (entry: CredentialEntry, signal: AbortSignal) => Promise<NewCredential>
  /** Whether the plane still has its subject and the binding of it; a restore may have removed them. */
  isGranted: (
    entry: CredentialEntry & Pick<CredentialNotes, 'subjectId'>,
    signal: AbortSignal,
  ) => Promise<boolean>
  trust: () => Promise<CredentialTrust>
  /** The addresses of the API, the likeliest first; none until the host has exposed it. */
  servers: (address: CredentialSpec['address'], signal: AbortSignal) => Promise<string[]>
  /** Whether the namespace permits it to the plane. @default the host itself refuses what is not permitted */
  isPermitted?: (secret: ForeignSecret, signal: AbortSignal) => Promise<boolean>
  /** The account that namespaces permit to write. */
  account: string
  report: (event: KeeperEvent) => void
  now: () => Date
}
