import type { ClientCredential, Identity } from '../../../control-plane/plane/plane.ts'
import { objectName } from '../../../manifests/object-names.ts'
import { issueCertificate } from '../../../pki/issue/issue-certificate.ts'
import type { KeyAlgorithm } from '../../../pki/x509/sign-certificate.ts'
import { VplaneError } from '../../../shared/errors.ts'
import { objectPath } from '../../../shared/kube/collections.ts'
import { filesOf } from '../objects/plane-keys.ts'
import type { HostApi } from '../host/host-api.ts'
import type { PlacedName } from '../context/object-names.ts'

export interface CredentialOptions {
  identity: Identity
  lifetimeMs: number
  algorithm: KeyAlgorithm
  now: Date
  signal: AbortSignal
}

/** Signs a client certificate with a plane's CA, whose key is in a Secret that no pod mounts. */
export async function issueCredential(
  api: Pick<HostApi, 'get'>,
  { name, namespace }: PlacedName,
  { algorithm, identity, lifetimeMs, now, signal }: CredentialOptions,
): Promise<ClientCredential> {
  const secret = objectName(name, 'ca')
  const found = await api.get(objectPath('secrets', { name: secret, namespace }), { signal })
  const files = filesOf(found?.['data'])
  const certificate = files['ca.crt']
  const key = files['ca.key']
  if (certificate === undefined || key === undefined) {
    throw new VplaneError(
      'FAILED',
      `the Secret "${secret}" in namespace "${namespace}" has no CA that signs for "${name}"`,
      { hints: [{ purpose: 'to finish the plane', action: 'create', plane: { name } }] },
    )
  }
  return issueCertificate(
    { certificate, key },
    {
      commonName: identity.user,
      organizations: [...identity.groups],
      usages: ['clientAuth'],
      lifetimeMs,
      algorithm,
      now,
    },
  )
}
