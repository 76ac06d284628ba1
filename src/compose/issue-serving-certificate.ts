import { createAuthority } from '../pki/issue/create-authority.ts'
import { issueCertificate } from '../pki/issue/issue-certificate.ts'

export interface ServingCertificateOptions {
  hosts: readonly string[]
  lifetimeMs: number
  now: Date
}

/**
 * Issues a certificate for a server, and a CA for it alone, as its key is not stored. All are PEM.
 * @throws {VplaneError} `INVALID_SPEC` when a host is neither a name nor an address.
 */
export function issueServingCertificate({ hosts, lifetimeMs, now }: ServingCertificateOptions) {
  const common = { algorithm: 'ecdsa', now } as const
  const authority = createAuthority({ ...common, commonName: 'vplane-webhook-ca' })
  const { certificate, key } = issueCertificate(authority, {
    ...common,
    commonName: 'vplane-webhook',
    usages: ['serverAuth'],
    sans: hosts,
    lifetimeMs,
  })
  return { certificate, key, certificateAuthority: authority.certificate }
}
