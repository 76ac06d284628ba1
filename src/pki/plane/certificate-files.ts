import type { Authority } from '../issue/create-authority.ts'
import { type CertificateRequest, issueCertificate } from '../issue/issue-certificate.ts'
import { LEAF_LIFETIME_MS } from '../issue/lifetimes.ts'

/** A certificate and its key under the two file names that belong to them. */
export function certificateFiles(
  name: string,
  { certificate, key }: { certificate: string; key: string },
): Record<string, string> {
  return { [`${name}.crt`]: certificate, [`${name}.key`]: key }
}

/** Who issues the certificates of components, and how. */
export interface Issuer extends Pick<CertificateRequest, 'algorithm' | 'now'> {
  authority: Authority
}

/** A client certificate and its key under their file names, for a year. To Kubernetes its common name is the user. */
export function clientFiles(
  name: string,
  commonName: string,
  issuer: Issuer,
): Record<string, string> {
  return leafFiles(name, { commonName, usages: ['clientAuth'] }, issuer)
}

/**
 * A server certificate and its key under their file names, for a year.
 *
 * @throws {VplaneError} `INVALID_SPEC` when a SAN is neither a host name nor an IP address.
 */
export function serverFiles(
  name: string,
  names: Pick<CertificateRequest, 'commonName' | 'sans'>,
  issuer: Issuer,
): Record<string, string> {
  return leafFiles(name, { ...names, usages: ['serverAuth'] }, issuer)
}

/** As `serverFiles`, for these usages. */
export function leafFiles(
  name: string,
  request: Pick<CertificateRequest, 'commonName' | 'sans' | 'usages'>,
  { authority, ...options }: Issuer,
): Record<string, string> {
  return certificateFiles(
    name,
    issueCertificate(authority, { ...options, ...request, lifetimeMs: LEAF_LIFETIME_MS }),
  )
}
