import { createAuthority } from '../pki/issue/create-authority.ts'
import { issueCertificate } from '../pki/issue/issue-certificate.ts'

export interface ServingCertificateOptions {
  /** Host names and addresses of the server. */
  hosts: readonly string[]
  lifetimeMs: number
  now: Date
}

export interface ServingCertificate {
  /** Certificate, key and the CA that vouches for them, PEM. */
  certificate: string
  key: string
  certificateAuthority: string
}

/**
 * Issues a certificate for a server, by a CA that is made for it alone and whose key is forgotten.
 *
 * @throws {VplaneError} `INVALID_SPEC` when a host is neither a name nor an address.
 */
export function issueServingCertificate({
  hosts,
  lifetimeMs,
  now,
}: ServingCertificateOptions): ServingCertificate {
  const authority = createAuthority({
    commonName: 'vplane-webhook-ca',
    algorithm: 'ecdsa',
    now,
  })
  const { certificate, key } = issueCertificate(authority, {
    commonName: 'vplane-webhook',
    usages: ['serverAuth'],
    sans: hosts,
    lifetimeMs,
    algorithm: 'ecdsa',
    now,
  })
  return { certificate, key, certificateAuthority: authority.certificate }
}
