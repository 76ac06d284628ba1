import { X509Certificate } from 'node:crypto'
import { grantAccess } from '../../control-plane/use-cases/connect/grant-access.ts'
import { boundRole, credentialBinding } from '../../control-plane/api/credential-bindings.ts'
import type { PlaneApi } from '../../control-plane/api/plane-api.ts'
import {
  type CredentialSpec,
  subjectOf,
} from '../../control-plane/spec/credentials/credentials-spec.ts'
import { algorithmOf } from '../../pki/issue/issue-certificate.ts'
import { parseCertificates } from '../../pki/x509/pem.ts'
import { VplaneError } from '../../shared/errors.ts'
import { numberAt, textAt } from '../../shared/json-fields.ts'
import { objectPath } from '../../shared/kube/collections.ts'
import { parseDuration } from '../../shared/text/duration.ts'
import type { NewCredential } from '../duties/credential-dependencies.ts'
import { signCertificate } from './sign-certificate.ts'

export interface IssueOptions {
  /** The name of the entry. */
  entry: string
  /** The name of the plane. */
  plane: string
  /** CA of the plane, PEM: new keys are of its kind. */
  certificateAuthority: string
  signal: AbortSignal
}

/**
 * Issues a credential through the API of its plane, and binds its subject to the ClusterRole that the spec names.
 * @throws {VplaneError} as `grantAccess` and `signCertificate` do.
 */
export async function issueFromPlane(
  api: PlaneApi,
  spec: CredentialSpec,
  { certificateAuthority, entry, plane, signal }: IssueOptions,
): Promise<NewCredential> {
  const { clusterRole } = spec
  const [authority] = parseCertificates(certificateAuthority, 'ca.crt')
  const algorithm = algorithmOf(authority)
  const user = await grantAccess(
    {
      api,
      plane: { name: plane },
      issue: (identity, lifetimeMs) =>
        signCertificate(api, { identity, lifetimeMs, algorithm, signal }),
    },
    {
      subject: subjectOf(spec),
      lifetimeMs: parseDuration(spec.lifetime),
      clusterRole,
      binding: credentialBinding(entry),
    },
    signal,
  )
  switch (user.kind) {
    case 'token':
      return { credential: { token: user.token }, ...tokenNotes(user.token) }
    case 'embedded': {
      const { certificate, key } = user.access
      const { issuer: signedBy, validToDate: expiresAt } = new X509Certificate(certificate)
      return { credential: { certificate, key }, expiresAt, signedBy, subjectId: '' }
    }
    case 'plugin':
      throw new TypeError('a Secret has a credential itself')
    default:
      return user satisfies never
  }
}

/**
 * Whether the plane still has what it was given with a credential: after a restore, a ServiceAccount may be another one of the
 * same name.
 */
export async function isGranted(
  api: Pick<PlaneApi, 'get'>,
  { entry, spec, subjectId }: { entry: string; spec: CredentialSpec; subjectId: string },
  signal: AbortSignal,
): Promise<boolean> {
  const { clusterRole } = spec
  const subject = subjectOf(spec)
  if (clusterRole !== undefined) {
    const role = await boundRole(api, credentialBinding(entry), signal)
    if (role !== clusterRole) {
      return false
    }
  }
  if (!('serviceAccount' in subject)) {
    return true
  }
  const { namespace, serviceAccount: name } = subject
  const account = await api.get(objectPath('serviceaccounts', { name, namespace }), { signal })
  return account?.metadata.uid === subjectId
}

function tokenNotes(token: string): Omit<NewCredential, 'credential'> {
  const [header, claims] = token
    .split('.')
    .slice(0, 2)
    .map((part): unknown => JSON.parse(Buffer.from(part, 'base64url').toString()))
  const expiresAt = numberAt(claims, 'exp')
  if (expiresAt === undefined) {
    throw new VplaneError('FAILED', 'the API server returned a token that does not expire')
  }
  return {
    expiresAt: new Date(expiresAt * 1000),
    signedBy: textAt(header, 'kid') ?? '',
    subjectId: textAt(claims, 'kubernetes.io', 'serviceaccount', 'uid') ?? '',
  }
}
