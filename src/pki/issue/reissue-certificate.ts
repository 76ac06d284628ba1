import type { X509Certificate } from 'node:crypto'
import { EXTENSION } from '../x509/certificate-extensions.ts'
import { certificateParts } from '../x509/certificate-parts.ts'
import type { Authority } from './create-authority.ts'
import type { IssuedCertificate } from './issue-leaf.ts'
import { issueLeaf } from './issue-leaf.ts'

/**
 * Issues a leaf certificate that says the same as an older one, with a new key of the same kind.
 *
 * @throws {VplaneError} `FAILED` when the CA has ended.
 */
export function reissueCertificate(
  authority: Authority,
  old: X509Certificate,
  options: { lifetimeMs: number; now: Date },
): IssuedCertificate {
  const { extensions, subject } = certificateParts(old)
  return issueLeaf(authority, {
    ...options,
    subject,
    // Only these two: whatever else an extension may grant is not handed on.
    extensions: extensions([EXTENSION.extendedKeyUsage, EXTENSION.subjectAlternativeName]),
    algorithm: old.publicKey.asymmetricKeyType === 'rsa' ? 'rsa' : 'ecdsa',
  })
}
