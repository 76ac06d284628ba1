// oxlint-disable-next-line import/no-unassigned-import -- `toLegacyObject()` of Node.js 24.21 else loads half of it, for good
import 'node:tls'
import { X509Certificate } from 'node:crypto'
import { createAuthority } from '../../src/pki/issue/create-authority.ts'
import { issueCertificate } from '../../src/pki/issue/issue-certificate.ts'
import type { CertificateRequest } from '../../src/pki/issue/issue-certificate.ts'
import type { KeyAlgorithm } from '../../src/pki/x509/sign-certificate.ts'

export const DAY_MS = 24 * 60 * 60 * 1000
export const NOW = new Date('2030-05-17T10:20:30.456Z')
export const SERVER_AUTH = '1.3.6.1.5.5.7.3.1'
export const CLIENT_AUTH = '1.3.6.1.5.5.7.3.2'

/** A time that is so many days after `NOW`. */
export function daysLater(days: number, from: Date = NOW): Date {
  return new Date(from.getTime() + days * DAY_MS)
}

/** A CA of this name. */
export function authorityOf(commonName: string, algorithm: KeyAlgorithm = 'ecdsa') {
  return createAuthority({ commonName, algorithm, now: NOW })
}

/** A CA for tests that only need any. */
export const AUTHORITY = authorityOf('some-ca')

/** A leaf of `AUTHORITY`, a server certificate unless said otherwise. */
export function leafOf(request: Partial<CertificateRequest> = {}, authority = AUTHORITY) {
  return issueCertificate(authority, {
    commonName: 'leaf',
    usages: ['serverAuth'],
    lifetimeMs: 365 * DAY_MS,
    algorithm: 'ecdsa',
    now: NOW,
    ...request,
  })
}

export function read(pem: string): X509Certificate {
  return new X509Certificate(pem)
}
