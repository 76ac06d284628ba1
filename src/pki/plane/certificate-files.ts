import type { Authority } from '../issue/create-authority.ts'
import { type CertificateRequest, issueCertificate } from '../issue/issue-certificate.ts'
import { LEAF_LIFETIME_MS } from '../issue/lifetimes.ts'

/** The files of a certificate and its key. */
export function certificateFiles(
  name: string,
  { certificate, key }: { certificate: string; key: string },
): Record<string, string> {
  return { [`${name}.crt`]: certificate, [`${name}.key`]: key }
}

export interface Issuer extends Pick<CertificateRequest, 'algorithm' | 'now'> {
  authority: Authority
}

/** The files of a client certificate for one year. Kubernetes reads the common name as the user. */
export function clientFiles(
  name: string,
  commonName: string,
  issuer: Issuer,
): Record<string, string> {
  return leafFiles(name, { commonName, usages: ['clientAuth'] }, issuer)
}

/** A server certificate for one year. @throws {VplaneError} `INVALID_SPEC` when a SAN is no host name or IP address. */
export function serverFiles(
  name: string,
  names: Pick<CertificateRequest, 'commonName' | 'sans'>,
  issuer: Issuer,
): Record<string, string> {
  return leafFiles(name, { ...names, usages: ['serverAuth'] }, issuer)
}

/** The files of a leaf certificate for one year, with the errors of `serverFiles`. */
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
