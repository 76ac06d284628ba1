import type { CertificateUsage } from '../x509/certificate-extensions.ts'
import { extendedKeyUsage, subjectAlternativeNames } from '../x509/certificate-extensions.ts'
import type { Authority } from './create-authority.ts'
import { distinguishedName } from '../x509/distinguished-name.ts'
import type { IssuedCertificate } from './issue-leaf.ts'
import { issueLeaf } from './issue-leaf.ts'
import type { KeyAlgorithm } from '../x509/key-pair.ts'

/** What a leaf certificate is to say. */
export interface CertificateRequest {
  /** To Kubernetes: the user. */
  commonName: string
  /** To Kubernetes: the groups. @default [] */
  organizations?: readonly string[]
  usages: readonly [CertificateUsage, ...CertificateUsage[]]
  /** Host names and IP addresses. @default [] */
  sans?: readonly string[]
  lifetimeMs: number
  algorithm: KeyAlgorithm
  now: Date
}

/**
 * Issues a leaf certificate with a key of its own, valid from five minutes ago (for clocks that are behind) to the end
 * of its lifetime, and never longer than the CA.
 *
 * @throws {VplaneError} `USAGE` when a name is empty or has control characters, `INVALID_SPEC` when a SAN is neither a
 * host name nor an IP address, `FAILED` when the CA has ended or cannot be read.
 */
export function issueCertificate(
  authority: Authority,
  request: CertificateRequest,
): IssuedCertificate {
  const { algorithm, lifetimeMs, now, sans = [], usages } = request
  return issueLeaf(authority, {
    subject: distinguishedName(request),
    extensions: [
      extendedKeyUsage(usages),
      ...(sans.length === 0 ? [] : [subjectAlternativeNames(sans)]),
    ],
    lifetimeMs,
    algorithm,
    now,
  })
}
